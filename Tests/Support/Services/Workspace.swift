package import AuthAccounts
import AuthAccountsTesting
package import AuthCore
package import AuthDevice
package import AuthRules
package import AuthSQLite
import Glibc
import Programs
import Synchronization

/// A directory for one test with an embedded database, whose clocks the test moves.
///
/// It is removed with all it holds when neither the test nor an authority needs it.
package final class Workspace: TestDatabase {
  // In memory where that is possible: these tests are about what is written, not about how long the
  // disk takes.
  private let folder = ShortFolder(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
  package let clock = SettableClock()
  package let wall = SettableClock(uptime: .microseconds(WallTime.now().microseconds))
  private let isShared: Bool
  private let isServed: Bool
  private let searchTime: Duration

  /// - Parameters:
  ///   - isShared: Whether the rules are those of a service.
  ///   - isServed: Whether the database is one that a service holds, once it holds it alone.
  ///   - searchTime: How long one request searches a list.
  package init(isShared: Bool = false, isServed: Bool = false, searchTime: Duration = .milliseconds(100)) {
    self.isShared = isShared
    self.isServed = isServed
    self.searchTime = searchTime
  }

  /// A directory whose database has alice, the administrator, and bob.
  package static func inhabited(
    isShared: Bool = false
  ) throws -> (work: Workspace, authority: LocalAuthority) {
    let work = Workspace(isShared: isShared)
    let authority = work.authority()
    try authority.registerBoth()
    return (work, authority)
  }

  deinit { run("chmod -R u+rwx '\(path)'") }

  /// The root of the source tree.
  package static let repository = SourceTree.root

  package var path: String { folder.path }
  package var data: String { "\(path)/data" }
  package var state: String { "\(path)/state" }
  package var databasePath: String { "\(data)/authority.db" }

  package func authority(
    busyWait: Duration = .seconds(5), cost: PasswordCost = .least, schema: Schema = .current,
    wallClock: (@Sendable () -> WallTime)? = nil
  ) -> LocalAuthority {
    LocalAuthority(
      directory: data, busyWait: busyWait, clock: clock, cost: cost, isShared: isShared, isServed: isServed,
      searchTime: searchTime, schema: schema,
      // The authority keeps its directory alive by this.
      wallClock: { [self] in wallClock?() ?? wall.wallTime })
  }

  package var backend: any RulesBackend { authority() }
  package var rules: Rules { authority().rules }

  package func vault(_ context: ContextName = .standard, lockWait: Duration = .seconds(5)) -> FileVault {
    FileVault(directory: state, context: context, lockWait: lockWait)
  }

  /// Moves both clocks.
  package func advance(by duration: Duration) {
    clock.advance(by: duration)
    wall.advance(by: duration)
  }

  /// Takes the database away, and puts it back.
  package func setAvailable(_ isAvailable: Bool) {
    rename(data + (isAvailable ? ".away" : ""), data + (isAvailable ? "" : ".away"))
  }

  /// The output of a shell command, without its last line end.
  @discardableResult
  package func run(_ command: String) -> String {
    guard let outcome = try? Program("sh", ["-c", command], timeLimit: .seconds(60)).runBlocking() else {
      preconditionFailure("no shell")
    }
    return outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : outcome.text
  }

  package func mode(_ file: String) -> String { run("stat -c %a '\(file)'") }
}

/// A clock that only a test moves.
package final class SettableClock: SessionClock {
  private let instant: Mutex<BootInstant>

  package init(uptime: Duration = .seconds(1000)) {
    instant = Mutex(BootInstant(boot: BootID(high: 1, low: 1), uptime: uptime))
  }

  package var uptime: Duration { instant.withLock { $0.uptime } }
  package func now() throws(ClockError) -> BootInstant { instant.withLock { $0 } }
  package func sleep(for duration: Duration) async throws(CancellationError) { advance(by: duration) }
  package func advance(by duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
  package func reboot() {
    instant.withLock { $0 = BootInstant(boot: BootID(high: 1, low: $0.boot.low + 1), uptime: .seconds(10)) }
  }
}

extension SettableClock {
  /// The time since 1970, for a clock that is a wall clock.
  package var wallTime: WallTime { WallTime(microseconds: uptime.wholeNanoseconds / 1000) }

  package func code(_ secret: TwoStepSecret) -> Secret { secret.code(at: wallTime) }

  /// The code of a secret in a time step that no code was of before.
  package func nextCode(_ secret: TwoStepSecret) -> Secret {
    advance(by: .seconds(TOTP.period))
    return code(secret)
  }
}

package let alicePassword = BackendContract.administrator.password
package let bobPassword = Secret("another good passphrase")
package let wrongPassword = Secret("not the right password")
package let newPassword = Secret("quiet meadow copper lantern")

extension Credentials {
  package static let alice = BackendContract.administrator
  package static let bob = Credentials.password(username: "bob", password: bobPassword)
}

extension Rules {
  /// Creates alice, the administrator of a shared database, and lets anyone register.
  @discardableResult
  package func installAlice() throws(BackendError) -> User {
    let alice = try install(firstAdministrator: Credentials.alice.username, password: alicePassword)
    let new = NewSession.random
    _ = try Operations.logIn(.alice, .standard, new).serve(self)
    try setRegistration(.open, token: new.token)
    _ = try Operations.revoke(new.token, .userAsked).serve(self)
    return alice
  }
}

extension Backend {
  /// Performs an operation with a token that no lease checked, as only a backend does elsewhere.
  package func ask<each Part: Sendable, Output, Key>(
    _ operation: BackendOperation<(repeat each Part), Output, Key>, _ part: repeat each Part
  ) throws(BackendError) -> Output { try perform(operation, on: (repeat each part)) }

  package func logIn(_ name: String = "alice", _ password: Secret = alicePassword) throws(BackendError) -> Grant {
    try ask(Operations.logIn, .password(username: name, password: password), .standard, try newSession())
  }

  package func reauthenticate(_ token: SessionToken, password: Secret) throws(BackendError) -> Grant {
    try ask(Operations.reauthenticate, token, password, .standard, try drawToken())
  }

  package func answer(_ code: Secret, to challenge: Challenge) throws(BackendError) -> Grant {
    try ask(Operations.answer, code, challenge.token, try newSession())
  }

  package func changePassword(from present: Secret, to new: Secret, token: SessionToken) throws(BackendError) -> Grant {
    try ask(Operations.changePassword, present, new, token, try drawToken())
  }

  /// The challenge that the right password is answered with.
  package func challenge(_ name: String = "alice", _ password: Secret = alicePassword) throws -> Challenge {
    try Services.challenge(of: { try logIn(name, password) })
  }
}

extension PaymentOrder {
  package init(_ amount: String, to payee: String = "bob", key: String? = nil) throws {
    self.init(amount: try Amount(amount), payee: try Username(payee), key: try key.map { try IdempotencyKey($0) })
  }
}

extension NewSession {
  /// Under a token that nobody else draws.
  package static var random: NewSession {
    NewSession(token: SessionToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) }), label: nil, origin: nil)
  }
}

/// A backend whose rules run in this process.
package protocol RulesBackend: Backend {
  var rules: Rules { get }
}

extension LocalAuthority: RulesBackend {}

extension RulesBackend {
  /// Creates alice, the administrator, and bob.
  package func registerBoth() throws {
    if rules.isShared { try rules.installAlice() } else { _ = try register(username: "alice", password: alicePassword) }
    _ = try register(username: "bob", password: bobPassword)
  }

  /// Turns the second step of alice, or of whoever has this session, on.
  package func turnTwoStepOn(_ token: SessionToken? = nil) throws(BackendError) -> TwoStepSecret {
    let token = if let token { token } else { try logIn().token }
    let secret = try rules.beginTwoStep(token: token)
    try rules.confirmTwoStep(secret.code(at: try rules.database.read { $0.wallTime }), token: token)
    return secret
  }
}

/// Something else than a test went on with.
package struct UnexpectedAnswer: Error {
  let kind: BackendError.Kind?

  package init(kind: BackendError.Kind? = nil) {
    self.kind = kind
  }
}
