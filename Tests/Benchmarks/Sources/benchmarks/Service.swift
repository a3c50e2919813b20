import AuthCore
import AuthService
import Foundation
import Glibc
import Synchronization

/// A running service and the home of alice, the administrator, who has a session and money there.
final class Service {
  let home: Home
  let address: String
  private let folder: String
  private let process: pid_t

  /// Starts a service.
  ///
  /// - Parameters:
  ///   - postgres: The address of a PostgreSQL database with alice and bob; nil for SQLite.
  ///   - isCheap: Whether passwords are hashed at a low cost.
  ///   - preparing: Changes the SQLite database before the service starts.
  /// - Throws: ``Failure`` when it does not start.
  init(postgres: String? = nil, isCheap: Bool = true, preparing: (Home) throws -> Void = { _ in }) throws {
    home = try Home(isCheap: isCheap)
    try preparing(home)
    // The name of a socket has at most 107 bytes.
    folder = FileManager.default.temporaryDirectory.path + "/bench-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    address = "unix:\(folder)/s"
    var program = Program(
      path: try Program.built(isCheap ? "auth-service-least-cost" : "auth-service"),
      arguments: ["run", "--socket", folder + "/s", "--operators", folder + "/operators.sock"],
      errors: home.path + "/log")
    if let postgres {
      program.environment = ["AUTH_SERVICE_POSTGRES=" + postgres]
    } else {
      program.arguments += ["--database", home.path]
    }
    process = try program.start()
    let end = ContinuousClock.now + .seconds(20)
    while access(folder + "/operators.sock", F_OK) != 0 {
      guard ContinuousClock.now < end else { throw Failure(reason: "no service, see \(home.path)/log") }
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

  private var client: String { home.path + "/client" }
  private var environment: [String] { ["AUTH_CLI_AUTHORITY=" + address, "AUTH_CLI_HOME=" + client, "HOME=" + client] }

  /// A run of `auth-cli` that asks the service.
  func command(_ words: String...) -> Program {
    Program(path: home.shipped, arguments: words, environment: environment, errors: home.path + "/errors")
  }

  /// A run of `auth-cli` at the service, whose last line of input is the password.
  func withPassword(_ words: [String], lines: String) -> Program {
    var program = home.withPassword(home.shipped, words, lines: lines)
    program.environment = environment
    return program
  }

  /// The resident memory of the service, in KiB.
  func memory() throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Double(line.filter(\.isNumber)) ?? 0
  }

  /// A connection that says nothing.
  func connection() throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: (folder + "/s").utf8) }
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

/// The service beside the embedded database and other programs.
func service() throws -> [Benchmark] {
  let service = try Service()
  let embedded = try Home()
  let status = service.command("status")
  func against(_ name: String, _ words: [String], _ limit: Double) -> Benchmark {
    Benchmark(
      "status by the service", .milliseconds, .atMost(limit), samples: 300,
      against: ([name] + words).joined(separator: " "), status.time
    ) {
      try Program(
        path: Program.installed(name), arguments: words, environment: ["HOME=/nonexistent", "PATH=/usr/bin:/bin"],
        expected: nil
      ).time()
    }
  }
  return try [
    Benchmark(
      "status by the service", .milliseconds, .atMost(0.7), samples: 300, against: "the embedded database",
      status.time, baseline: embedded.command("status").time),
    against("klist", ["-s"], 0.7), against("true", [], 1.7),
    // Goals are ratios or limits from above: of 16 requests at a time, each takes at most 0.8 ms.
    Benchmark("a status of 16 at once", .milliseconds, .limit(16 * 1000 / 20_000), samples: 5) {
      try 16_000 / asking(service.address)
    },
    Benchmark("1,000 idle connections, each", .kibibytes, .limit(16), samples: 1) {
      let before = try service.memory()
      let connections = try (0..<1000).map { _ in try service.connection() }
      defer { for descriptor in connections { close(descriptor) } }
      return try (service.memory() - before) / 1000
    },
  ] + postgres()
}

/// Sixteen threads that each ask for their session, one request after the other.
///
/// - Returns: Answers per second.
private func asking(_ address: String) throws -> Double {
  let each = 5_000
  let clients = try (0..<16).map { _ in
    let authority = try ServiceAuthority(address: address)
    let alice = Credentials.password(username: "alice", password: Secret(Home.password))
    return (authority, try waiting { try await authority.authenticate(alice, limits: LimitRequest()) }.token)
  }
  let elapsed = ContinuousClock().measure {
    DispatchQueue.concurrentPerform(iterations: clients.count) { number in
      let (authority, token) = clients[number]
      for _ in 0..<each { guard (try? authority.lookUp(token)) != nil else { fatalError("no answer") } }
    }
  }
  return Double(clients.count * each) / elapsed.nanoseconds * 1e9
}

/// Waits on this thread for asynchronous work.
private func waiting(_ body: @escaping @Sendable () async throws -> Authentication) throws -> Grant {
  let answer = DispatchSemaphore(value: 0)
  let result = Mutex<Result<Authentication, any Error>?>(nil)
  Task {
    let outcome: Result<Authentication, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    result.withLock { $0 = outcome }
    answer.signal()
  }
  answer.wait()
  guard case .granted(let grant) = try result.withLock({ $0 })?.get() else { throw Failure(reason: "no session") }
  return grant
}

/// A service on PostgreSQL beside psql.
private func postgres() throws -> [Benchmark] {
  let server = try Server.withAccounts()
  try server.run(
    "CREATE TABLE plain(id int PRIMARY KEY, balance bigint); INSERT INTO plain VALUES (1, 0), (2, 0)",
    database: "accounts")
  let service = try Service(postgres: server.address("accounts"))
  let pay = service.command("pay", "0.01", "--to", "bob")
  let plain = server.psql(
    "BEGIN; UPDATE plain SET balance = balance - 1 WHERE id = 1; UPDATE plain SET balance = balance + 1 WHERE id = 2; COMMIT",
    database: "accounts")
  return [
    Benchmark(
      "status by the service on PostgreSQL", .milliseconds, .atMost(0.25), samples: 60, against: "psql's select 1",
      service.command("status").time, baseline: server.psql("SELECT 1", database: "accounts").time),
    Benchmark(
      "auth-cli pay, 16 at once, by the service on PostgreSQL", .perSecond, .atLeast(5), samples: 5,
      against: "16 psql processes", { try paying(pay) }, baseline: { try paying(plain) }),
  ]
}

/// A PostgreSQL server of this run, with durable commits, that ends with this process.
final class Server {
  private let socket: String
  private let program: String
  private let process = Process()
  private let leash = Pipe()
  let errors = ".build/benchmarks/errors"

  init() throws {
    program = try Program.installed("psql")
    process.executableURL = URL(fileURLWithPath: ".ci/throwaway-postgres")
    process.arguments = ["fsync=on"]
    let output = Pipe()
    // The server stops when nobody holds the other end any more.
    process.standardInput = leash
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("/") else { throw Skip(reason: "no PostgreSQL server is installed") }
    socket = String(line.dropLast())
  }

  /// A server with the accounts of alice, the administrator, who has money, and of bob.
  static func withAccounts(isCheap: Bool = true) throws -> Server {
    let server = try Server()
    try server.run("CREATE DATABASE accounts", database: "postgres")
    let install = Program(
      path: try Program.built(isCheap ? "auth-service-least-cost" : "auth-service"),
      arguments: ["schema", "install", "--first-administrator", "alice", "--password-stdin"],
      environment: ["AUTH_SERVICE_POSTGRES=" + server.address("accounts")], input: Home.password + "\n",
      errors: server.errors)
    try install.run()
    try server.run(
      """
      INSERT INTO auth.accounts(name, display_name, role, password_hash, created_at)
        SELECT 'bob', 'bob', role, password_hash, 0 FROM auth.accounts;
      INSERT INTO auth.ledger_accounts SELECT id, 0 FROM auth.accounts WHERE name = 'bob';
      UPDATE auth.ledger_accounts SET balance = balance + 100000000
        WHERE id = (SELECT id FROM auth.accounts WHERE name = 'alice');
      """, database: "accounts")
    return server
  }

  func address(_ database: String) -> String { "postgresql:///\(database)?host=\(socket)&user=postgres" }

  /// A run of psql.
  func psql(_ sql: String, database: String) -> Program {
    Program(
      path: program, arguments: ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, address(database)],
      environment: ["PGOPTIONS=-c client_min_messages=warning"], errors: errors)
  }

  func run(_ sql: String, database: String) throws { try psql(sql, database: database).run() }
}
