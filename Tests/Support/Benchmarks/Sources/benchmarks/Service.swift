import AuthAccounts
import AuthCore
import AuthCoreTesting
import AuthService
import Foundation
import Glibc
import Synchronization

/// A running service and the home of alice, the administrator, who has a session and money there.
final class Service {
  let home: Home
  /// The socket for people.
  let socket: String
  /// A copy of `auth-cli` that was just installed.
  let program: String
  private let postgres: Server?
  private let folder: String
  private let process: pid_t

  /// Starts a service.
  ///
  /// - Parameters:
  ///   - postgres: A server with the database `accounts`; nil for SQLite.
  ///   - isCheap: Whether passwords are hashed at a low cost.
  ///   - recordsServer: Whether it stores which PostgreSQL server confirmed the last change, as the
  ///     unit of systemd has it do.
  ///   - preparing: Changes the SQLite database before the service starts.
  /// - Throws: ``Failure`` when it does not start.
  init(
    postgres: Server? = nil, isCheap: Bool = true, recordsServer: Bool = true,
    preparing: (Home) throws -> Void = { _ in }
  ) throws {
    self.postgres = postgres
    home = try Home(isCheap: isCheap)
    try preparing(home)
    program = try install(home.shipped, in: home.path)
    // The name of a socket has at most 107 bytes.
    folder = FileManager.default.temporaryDirectory.path + "/bench-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    socket = folder + "/s"
    var program = Program(
      path: try Program.built(isCheap ? "auth-service-least-cost" : "auth-service"),
      arguments: ["run", "--socket", socket, "--operators", folder + "/operators.sock"],
      errors: home.path + "/log")
    if let postgres {
      program.environment = ["AUTH_SERVICE_POSTGRES=" + postgres.address("accounts")]
      if recordsServer { program.environment.append("STATE_DIRECTORY=" + folder) }
    } else {
      program.arguments += ["--database", home.path]
    }
    process = try program.start()
    let end = ContinuousClock.now + .seconds(20)
    while access(folder + "/operators.sock", F_OK) != 0 {
      guard ContinuousClock.now < end else { throw Failure(reason: "no service, see \(home.path)/log") }
      // A socket that appears is no event; nothing is measured yet.
      usleep(10_000)
    }
    try FileManager.default.createDirectory(
      atPath: client, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    var login = home.withPassword(home.cheap, "login", "alice")
    login.environment = environment
    try login.run()
  }

  deinit {
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
    try? FileManager.default.removeItem(atPath: folder)
  }

  var address: String { "unix:" + socket }
  private var client: String { home.path + "/client" }
  private var environment: [String] { environment(address) }

  private func environment(_ address: String) -> [String] {
    ["AUTH_CLI_AUTHORITY=" + address, "AUTH_CLI_HOME=" + client, "HOME=" + client]
  }

  /// A run of `auth-cli` that asks the service, at another socket that leads there if one is named.
  func command(_ words: String..., through socket: String? = nil) -> Program {
    Program(
      path: program, arguments: words, environment: environment(socket.map { "unix:" + $0 } ?? address),
      errors: home.path + "/errors", server: self)
  }

  /// A run of `auth-cli` at the service, whose last line of input is the password.
  func withPassword(_ words: [String], lines: String) -> Program {
    var program = home.withPassword(home.shipped, words, lines: lines)
    program.environment = environment
    program.server = self
    return program
  }

  /// The resident memory of the service, in KiB.
  private func memory() throws -> Double {
    // The count in `status` is an estimate.
    let memory = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
    let line = memory.split(separator: "\n").first { $0.hasPrefix("Rss:") } ?? ""
    return Double(line.filter(\.isNumber)) ?? 0
  }

  /// The memory that the service needs for each of so many connections that say nothing, in KiB.
  func memory(ofConnections count: Int) throws -> Double {
    let before = try memory()
    let connections = try (0..<count).map { _ in try connection() }
    defer { for descriptor in connections { close(descriptor) } }
    return try (memory() - before) / Double(count)
  }

  private func connection() throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: socket.utf8) }
    let isConnected = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard isConnected == 0 else { throw Failure(reason: "no connection: error \(errno)") }
    // Its greeting.
    var bytes = [UInt8](repeating: 0, count: 1024)
    guard recv(descriptor, &bytes, bytes.count, 0) > 0 else { throw Failure(reason: "no greeting") }
    return descriptor
  }
}

/// The service beside the embedded database.
func service() throws -> [Benchmark] {
  let service = try Service()
  // Before all else, because the service uses memory again that it freed.
  let idle = try service.memory(ofConnections: 1000)
  let status = service.command("status")
  let embedded = Program(path: service.program, arguments: ["status"], environment: try Home().environment)
  return try [
    Benchmark("1,000 idle connections, each", .kibibytes, .limit(16), samples: 1) { idle },
    Benchmark(
      "status by the service", .milliseconds, .atMost(1.1), samples: 300, against: "the embedded database",
      status.time, baseline: embedded.time),
    Benchmark("status requests of 16 connections", .perSecond, .least(15_000), samples: 5) {
      try asking(service)
    },
    forwarded(service),
  ]
}

/// Sixteen connections on which each client asks for its session, one request after the other.
///
/// - Returns: Answers per second.
private func asking(_ service: Service) throws -> Double {
  let each = 5_000
  let clients = try (0..<16).map { _ in try Client("alice", of: service) }
  let elapsed = ContinuousClock().measure {
    together(clients.count) { number in for _ in 0..<each { clients[number].ask() } }
  }
  return Double(clients.count * each) / elapsed.nanoseconds * 1e9
}

/// A user who is logged in at a service, over one connection.
final class Client: @unchecked Sendable {  // Safe: it only keeps the service running.
  private let service: Service
  private let authority: ServiceAuthority
  private let vault = InMemoryVault()
  private let store: SessionStore
  private let key: FreshSession

  init(_ name: String, of service: Service) throws {
    self.service = service
    let authority = try ServiceAuthority(address: service.address)
    let store = SessionStore(authority: authority, vault: vault, clock: authority.clock, executor: .callingThread)
    let user = Credentials.password(username: name, password: Secret(Home.password))
    guard case .loggedIn(let session) = try waiting({ try await store.logIn(user) }) else {
      throw Failure(reason: "\(name) is not logged in")
    }
    (self.authority, self.store) = (authority, store)
    key = try FreshSession(session)
  }

  /// Asks for the session.
  func ask() {
    guard case .token(let token) = vault.content, (try? authority.lookUp(token)) != nil else { fatalError("no answer") }
  }

  func pay(_ order: PaymentOrder) {
    do {
      _ = try waiting { [authority, key] in
        try await key.session.withLease(using: authority.prepare(order, for: key)) {
          (intent: consuming PaymentIntent, lease: borrowing SessionLease) async throws(BackendError) in
          try await intent.submit(under: lease)
        }
      }
    } catch {
      fatalError("not paid: \(error)")
    }
  }
}

/// Runs asynchronous work on this thread, and waits for the rest of it if it suspends.
private func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let end = DispatchSemaphore(value: 0)
  let result = Mutex<Result<Value, any Error>?>(nil)
  Task.immediate {
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    result.withLock { $0 = outcome }
    end.signal()
  }
  end.wait()
  guard let outcome = result.withLock({ $0 }) else { throw Failure(reason: "no outcome") }
  return try outcome.get()
}

/// Runs the body on so many threads at the same moment, and waits for all.
func together(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let running = DispatchGroup()
  for number in 0..<count {
    running.enter()
    Thread.detachNewThread {
      body(number)
      running.leave()
    }
  }
  running.wait()
}
