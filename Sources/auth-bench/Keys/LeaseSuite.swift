import AuthCore
import AuthDevice
import Synchronization

extension Suite {
  /// The key and its leases, from another module.
  static let leases = Suite(name: "leases", summary: "a key's liveness, and a lease, from another module") { _ in
    keyAndLease
  }
}

private let count = 1_000_000

/// Says yes to everybody, for ever.
private struct OpenDoor: Authority, SessionVault, SessionClock {
  private let grant = Grant(
    id: SessionID(rawValue: "s"), user: User(id: UserID(rawValue: "u"), username: "u", displayName: "U", role: .member),
    token: SessionToken(bytes: [1]), limits: SessionLimits(idle: .off, absolute: .off, fresh: .off))

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant { grant }
  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant { grant }
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant { grant }
  func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant { grant }
  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {}
  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {}

  func load() async -> VaultReading { .absent }
  func store(_ token: SessionToken) async throws(VaultError) -> VaultReading { .absent }
  func replace(_ old: SessionToken, with new: SessionToken) async throws(VaultError) -> Bool { true }
  func erase(_ token: SessionToken) async throws(VaultError) {}
  func setAside() async throws(VaultError) -> String? { nil }

  func now() throws(ClockError) -> BootInstant { BootInstant(boot: BootID(high: 0, low: 1), uptime: .zero) }
  func sleep(for duration: Duration) async throws(CancellationError) {}
}

private var keyAndLease: [Benchmark] {
  let door = OpenDoor()
  let store = SessionStore(
    authority: door, vault: door, clock: door, timing: SessionTiming(watchesLimits: false), worksOnCallingThread: true)
  store.beginLogIn(Credentials(username: "u", password: Password("p")))
  guard let key = store.session else { preconditionFailure("a login that never suspends is done when it was begun") }
  return [
    Benchmark("isLive", operations: count) {
      var live = 0
      for _ in 0..<count where key.isLive { live &+= 1 }
      // The store is kept, for the key dies with it.
      keep(live)
      keep(store.revision)
    },
    Benchmark("Mutex: lock and unlock", operations: count) {
      let sum = Mutex(0)
      for index in 0..<count { sum.withLock { $0 &+= index } }
      keep(sum.withLock(\.self))
    },
    Benchmark("withLease", operations: count, against: "Mutex: lock and unlock", goal: .ratio(1.5)) {
      var sum = 0
      for index in 0..<count {
        do throws(LeaseError<Never>) {
          sum &+= try key.withLease { _ in index }
        } catch {
          preconditionFailure("the session is over: \(error)")
        }
      }
      keep(sum)
      keep(store.revision)
    },
  ]
}
