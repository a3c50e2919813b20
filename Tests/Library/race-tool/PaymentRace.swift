import AuthAccounts
import AuthCore
import AuthDevice
import AuthSQLite
import ConcurrencyKit
import Races

/// One payment screen of a logged-in user, which two threads submit at the same moment.
struct PaymentRace {
  /// The screen closes when the store is released.
  private let store: SessionStore
  private let backend: MeetingBackend
  private let screen: PaymentScreen

  /// Creates two accounts in the directory, and logs one of them in.
  init(directory: String) async throws {
    let clock = BootClock()
    let authority = LocalAuthority(directory: directory, clock: clock)
    let password = Secret("marble kettle window harvest")
    for name in ["alice", "bob"] { _ = try authority.register(username: name, password: password) }
    backend = MeetingBackend(authority)
    store = SessionStore(authority: backend, vault: TransientVault(), clock: clock)
    _ = try await store.logIn(.password(username: "alice", password: password))
    guard let screen = store.open(PaymentScreen.self) else { RaceTool.fail("The login failed.") }
    self.screen = screen
  }

  /// What was paid, and why else not.
  func run() async throws -> (paid: [Receipt], refused: [BackendError]) {
    let order = PaymentOrder(amount: try Amount("12.50"), payee: try Username("bob"))
    let answers = Locked<(paid: [Receipt], refused: [BackendError])>(([], []))
    _ = await TwoTasks.race(rounds: 1) { _ in
      do {
        let receipt = try await screen.submit(try screen.prepare(order, at: backend))
        answers.withLock { $0.paid.append(receipt) }
      } catch LeaseError.body(let error) as LeaseError<BackendError> {
        answers.withLock { $0.refused.append(error) }
      } catch {
        RaceTool.fail("The payment failed: \(error)")
      }
      backend.arrive()
      return true
    }
    return answers.withLock { $0 }
  }
}

/// A backend whose payments wait until both threads have asked: one pays, and the other was refused
/// or also wants to pay.
private final class MeetingBackend: Backend {
  private let base: LocalAuthority
  private let arrivals = Monitor(0)

  init(_ base: LocalAuthority) { self.base = base }

  /// A thread has its answer, or wants to pay.
  func arrive() { arrivals.change(wakingAll: true) { $0 += 1 } }

  func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output {
    if operation.name == "pay" {
      arrive()
      _ = arrivals.wait { $0 >= 2 ? true : nil }
    }
    return try base.perform(operation, on: input)
  }

  var clock: any SessionClock { base.clock }
  var policy: SessionPolicy { base.policy }
  var issuer: TokenIssuer { base.issuer }
  var connection: BackendConnection? { base.connection }
  func changes() throws(BackendError) -> any ChangeSource { try base.changes() }
}
