import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Glibc
import Synchronization
import Testing

/// A directory of its own for one test, removed with all it holds when the test lets go of it.
final class Workspace: Sendable {
  let path: String
  let clock = SettableClock()

  init() {
    // In memory where that is possible: these tests are about what is written, not about how long
    // the disk takes.
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(base)/authlocal-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp failed: \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    run("chmod -R u+rwx '\(path)'; rm -rf '\(path)'")
  }

  /// The root of the source tree.
  static let repository = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

  var data: String { "\(path)/data" }
  var state: String { "\(path)/state" }
  var databasePath: String { "\(data)/authority.db" }

  func authority(
    policy: SessionPolicy = .standard, busyWait: Duration = .seconds(5), cost: PasswordCost = .least,
    isShared: Bool = false,
    wallClock: @escaping @Sendable () -> WallTime = WallTime.now
  ) -> LocalAuthority {
    LocalAuthority(
      directory: data, policy: policy, busyWait: busyWait, clock: clock, cost: cost,
      isShared: isShared,
      // The authority keeps its directory alive by this.
      wallClock: { withExtendedLifetime(self, wallClock) })
  }

  func vault(_ context: ContextName = .standard, lockWait: Duration = .seconds(5)) -> FileVault {
    FileVault(directory: state, context: context, lockWait: lockWait)
  }

  /// The output of a shell command, without its last line end.
  @discardableResult
  func run(_ command: String) -> String {
    guard let pipe = popen(command, "r") else { preconditionFailure("popen failed: \(errno)") }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { break }
      output += buffer.prefix(count)
    }
    pclose(pipe)
    if output.last == UInt8(ascii: "\n") { output.removeLast() }
    return String(decoding: output, as: UTF8.self)
  }

  /// A plain connection to the database file.
  var raw: RawDatabase { RawDatabase(databasePath) }

  func mode(_ file: String) -> String { run("stat -c %a '\(file)'") }
}

/// A boot clock that a test moves.
final class SettableClock: SessionClock {
  private let instant = Mutex(BootInstant(boot: BootID(high: 1, low: 1), uptime: .seconds(1000)))

  func now() throws(ClockError) -> BootInstant { instant.withLock { $0 } }
  func sleep(for duration: Duration) async throws(CancellationError) { advance(by: duration) }
  func advance(by duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
  func reboot() {
    instant.withLock { $0 = BootInstant(boot: BootID(high: 1, low: $0.boot.low + 1), uptime: .seconds(10)) }
  }
}

/// A wall clock that a test moves.
final class MovableTime: Sendable {
  private let microseconds = Atomic(WallTime.now().microseconds)

  var now: WallTime { WallTime(microseconds: microseconds.load(ordering: .relaxed)) }

  func move(by seconds: Int64) { microseconds.add(seconds * 1_000_000, ordering: .relaxed) }
}

let alicePassword = Secret("correct horse battery")
let bobPassword = Secret("another good passphrase")
let wrongPassword = Secret("not the right password")

extension LocalAuthority {
  /// Makes alice, the administrator, and bob.
  func registerBoth() throws {
    _ = try register(username: "alice", password: alicePassword)
    _ = try register(username: "bob", password: bobPassword)
  }

  func logIn(_ name: String = "alice", _ password: Secret = alicePassword) throws(BackendError) -> Grant {
    try logIn(Credentials.password(username: name, password: password), limits: .standard)
  }

  /// Turns the second step of alice, or of whoever has this session, on.
  func turnTwoStepOn(_ token: SessionToken? = nil) throws(BackendError) -> TwoStepSecret {
    let token = if let token { token } else { try logIn().token }
    let secret = try rules.beginTwoStep(token: token)
    try rules.confirmTwoStep(secret.code(at: try rules.database.read { $0.wallTime }), token: token)
    return secret
  }

  /// The challenge that the right password is answered with.
  func challenge(_ name: String = "alice", _ password: Secret = alicePassword) throws -> Challenge {
    let kind = failure { try logIn(name, password) }?.kind
    guard case .challenged(let challenge) = kind else { throw UnexpectedAnswer(kind: kind) }
    return challenge
  }

  func order(_ amount: String, to payee: String = "bob", key: String? = nil) throws -> PaymentOrder {
    PaymentOrder(amount: try Amount(amount), payee: try Username(payee), key: try key.map { try IdempotencyKey($0) })
  }
}

/// Something else than a test went on with.
struct UnexpectedAnswer: Error {
  let kind: BackendError.Kind?
}

/// The failure that `body` throws.
func failure<Result>(_ body: () throws -> Result) -> BackendError? {
  do {
    _ = try body()
  } catch let failure as BackendError {
    return failure
  } catch {
    Issue.record("\(error) is no BackendError")
  }
  return nil
}

/// The code of the failure that `body` throws.
func code<Result>(_ body: () throws -> Result) -> String? { failure(body)?.code }
