import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import Synchronization

@testable import AuthService

/// A process of auth-service over an SQLite database, which a test kills and starts again.
final class ServiceProcess: Sendable {
  static let executable = ClientProgramTests.products + "/auth-service-least-cost"
  static var isBuilt: Bool { access(executable, X_OK) == 0 }
  /// The server of ssh, where it is installed.
  static var sshd: String? { ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].first { access($0, X_OK) == 0 } }

  let folder: String
  private let process = Mutex<pid_t>(0)

  /// Creates accounts for alice and bob, and starts the service.
  init() throws {
    var template = Array("/tmp/auth-service-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp failed: \(errno)") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let authority = LocalAuthority(directory: folder + "/data", cost: .least)
    for who in [EmbeddedRules.alice, EmbeddedRules.bob] {
      _ = try authority.register(username: who.username, password: who.password, displayName: nil)
    }
    start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  var socket: String { folder + "/s" }

  /// Starts it, and waits for the line that says so.
  func start() {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      preconditionFailure("no pipe: \(errno)")
    }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    let words =
      [Self.executable, "run", "--database", folder + "/data", "--socket", socket]
      + ["--operators", folder + "/operators.sock"]
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var id: pid_t = 0
    guard posix_spawn(&id, Self.executable, &actions, nil, arguments, environ) == 0 else {
      preconditionFailure("\(Self.executable) cannot be run")
    }
    close(ends[1])
    process.withLock { $0 = id }
    var log = ""
    var bytes = [UInt8](repeating: 0, count: 1024)
    while !log.contains("started") {
      let count = read(ends[0], &bytes, bytes.count)
      guard count > 0 else { preconditionFailure("auth-service did not start: \(log)") }
      log += String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Kills it as a crash would, and waits until it is gone.
  func kill() {
    let id = process.withLock { process in
      defer { process = 0 }
      return process
    }
    guard id > 0 else { return }
    Foundation.kill(id, SIGKILL)
    waitpid(id, nil, 0)
  }
}

/// A service between the client and auth-service, which kills auth-service when it has answered one
/// request and before the client hears of it.
final class KillingService: Sendable {
  private let real: ServiceProcess
  private let inner: ServiceConnection
  private let isMeant: @Sendable (BackendRequest) -> Bool
  private let killed = Mutex<UInt>(0)

  init(_ real: ServiceProcess, at isMeant: @escaping @Sendable (BackendRequest) -> Bool) {
    self.real = real
    self.isMeant = isMeant
    inner = ServiceConnection(.unix(real.socket))
  }

  /// How often the request was killed.
  var kills: UInt { killed.withLock { $0 } }

  /// The client's way through it.
  func authority() throws -> (TestService, ServiceAuthority) {
    try inner.greet()
    guard let hello = inner.hello else { throw WireFault.invalid("first message") }
    let service = TestService(inner, hello: hello) { [self] request in
      guard isMeant(request), kills == 0 else { return false }
      real.kill()
      real.start()
      killed.withLock { $0 += 1 }
      return true
    }
    return (service, service.authority())
  }
}
