import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthDevice
import AuthSQLite
import Glibc
import Services
import Synchronization

@testable import AuthService

/// The rule book on SQLite, in a directory of its own, with clocks that a test moves.
final class EmbeddedRules: Sendable {
  private let folder = ShortFolder(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
  private var path: String { folder.path }
  private let instant = Mutex(BootInstant(boot: BootID(high: 1, low: 1), uptime: .seconds(1000)))
  private let distance = Atomic<Int64>(0)
  private let made = Mutex<LocalAuthority?>(nil)

  init() {
    made.withLock {
      $0 = LocalAuthority(
        directory: folder.path + "/data", clock: MovedClock(rules: self), cost: .least, isShared: true,
        wallClock: { [wall = Reference(self)] in wall.value?.wallTime ?? .now() })
    }
  }

  private struct MovedClock: SessionClock {
    weak let rules: EmbeddedRules?
    func now() throws(ClockError) -> BootInstant { rules?.now ?? Samples.instant }
    func sleep(for duration: Duration) async throws(CancellationError) { rules?.advance(by: duration) }
  }

  private struct Reference: Sendable {
    weak let value: EmbeddedRules?
    init(_ value: EmbeddedRules) { self.value = value }
  }

  var authority: LocalAuthority {
    guard let authority = made.withLock({ $0 }) else { preconditionFailure("made by init") }
    return authority
  }
  var rules: Rules { authority.rules }
  var now: BootInstant { instant.withLock { $0 } }
  var wallTime: WallTime { WallTime(microseconds: WallTime.now().microseconds + distance.load(ordering: .relaxed)) }

  func advance(by duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
  func moveWall(by seconds: Int64) { distance.add(seconds * 1_000_000, ordering: .relaxed) }

  func setAvailable(_ isAvailable: Bool) {
    rename(path + (isAvailable ? "/away" : "/data"), path + (isAvailable ? "/data" : "/away"))
  }

  static let alice = BackendContract.administrator
  static let bob = Credentials.password(username: "bob", password: Secret("another good passphrase"))

  /// Creates alice, the administrator, and lets anyone register.
  func install() throws -> User {
    let alice = try rules.install(firstAdministrator: Self.alice.username, password: Self.alice.password)
    let token = try authority.logIn(Self.alice, limits: .standard).token
    try rules.setRegistration(.open, token: token)
    _ = try rules.perform(.revoke(token, .userAsked))
    return alice
  }

  /// Creates alice, the administrator, and bob.
  func registerBoth() throws {
    _ = try install()
    _ = try authority.register(username: Self.bob.username, password: Self.bob.password, displayName: nil)
  }

  /// Turns the second step of alice on.
  func turnTwoStepOn() throws -> TwoStepSecret {
    let token = try authority.logIn(Self.alice, limits: .standard).token
    let secret = try rules.beginTwoStep(token: token)
    try rules.confirmTwoStep(secret.code(at: wallTime), token: token)
    return secret
  }
}
