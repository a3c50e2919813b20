import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Foundation
import Glibc
import Programs
import Services
import Terminals
import Testing

/// A process of `auth-service`, built with a cheap hash, on an SQLite database of its own.
final class RunningService: @unchecked Sendable {  // One thread at a time uses it.
  static let password = "correct horse battery"
  static let executable = LeastCost.products + "/auth-service-least-cost"
  /// The folder of PostgreSQL's programs.
  static let postgresPrograms: String? = {
    let folder = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return versions.map { "\(folder)/\($0)/bin" }.last { access($0 + "/initdb", X_OK) == 0 }
  }()
  /// Whether servers can be started, and the service was built with libpq.
  static var hasPostgres: Bool {
    #if canImport(AuthPostgres)
      postgresPrograms != nil
    #else
      false
    #endif
  }

  /// Where all of it is; others may pass through.
  var folder: String { place.path }
  private let place = ShortFolder()
  var data: String { folder + "/data" }
  var socket: String { folder + "/people.sock" }
  var operators: String { folder + "/operators.sock" }
  private let program: [String]
  private let options: [String]
  private let environment: [String: String]
  /// The address of its PostgreSQL database; nil for SQLite.
  var postgres: String? { environment["AUTH_SERVICE_POSTGRES"] }
  private var process: TerminalProcess?

  /// Creates the database, with accounts of which the first is the administrator's, and starts the
  /// service, which may be another `program` with arguments, with more options of `run`.
  init(
    _ users: [String] = ["alice", "bob"], options: [String] = [], program: [String] = [RunningService.executable]
  ) throws {
    chmod(place.path, 0o755)
    self.program = program
    self.options = ["--database", place.path + "/data"] + options
    environment = [:]
    let authority = LocalAuthority(directory: data, cost: .least)
    for user in users {
      _ = try authority.register(username: user, password: Secret(Self.password), displayName: nil)
    }
    try start()
  }

  /// Starts a service on a PostgreSQL database that has its tables.
  init(postgres address: String, options: [String] = []) throws {
    program = [Self.executable]
    self.options = options
    chmod(place.path, 0o755)
    environment = ["AUTH_SERVICE_POSTGRES": address, "STATE_DIRECTORY": place.path]
    try start()
  }

  /// The group of this process may connect: where the package is installed, a service of root would
  /// let only members of auth-cli in.
  private static let group = getgrgid(getegid()).map { ["--group", String(cString: $0.pointee.gr_name)] } ?? []

  /// A service that ended, or did not say that it is ready.
  struct NotReady: Error { let log: String }

  /// Starts it, and waits until it says that it is ready.
  func start() throws {
    let notices = folder + "/notices.sock"
    unlink(notices)
    let receiver = boundSocket(at: notices, SOCK_DGRAM)
    defer { close(receiver) }
    unlink(folder + "/log")
    let process = try TerminalProcess(
      program + ["run", "--socket", socket, "--operators", operators] + Self.group + options,
      environment: environment.merging(["NOTIFY_SOCKET": notices, "PATH": "/usr/bin:/bin"]) { $1 },
      errors: folder + "/log")
    self.process = process
    var event = pollfd(fd: receiver, events: Int16(POLLIN), revents: 0)
    let end = ContinuousClock.now + .seconds(60)
    while poll(&event, 1, 50) != 1 {
      guard process.isRunning, ContinuousClock.now < end else { throw NotReady(log: log) }
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = recv(receiver, &bytes, bytes.count, 0)
    #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == "READY=1")
  }

  var pid: pid_t { process?.id ?? 0 }

  /// What it wrote on standard error.
  var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

  /// Whether the log has the text, or gets it in a minute: a refusal is logged after its answer.
  func logs(_ text: String) -> Bool { Deadline(.seconds(60)).wait { log.contains(text) } }

  /// Sends a signal, and waits until the process is over.
  @discardableResult
  func end(_ signal: Int32 = SIGTERM) -> TerminalProcess.End? { try? process?.end(signal) }

  func client() throws -> ServiceClient { try ServiceClient(socket) }

  /// The descriptors that the process has open.
  var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0 }

  /// The sockets that the process has open: not the files of a database, which it opens when it
  /// needs them.
  var sockets: Int {
    let folder = "/proc/\(pid)/fd"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasPrefix("socket:") == true
    }
  }

  /// A number of /proc/PID/status, in KiB.
  func memory(_ field: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(field + ":") })
    return try #require(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) })
  }

  /// How long the process ran on processors.
  func processorTime() throws -> Duration {
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // Source: proc(5); the name, which ends at the parenthesis, may have spaces.
    let fields = try #require(stat.split(separator: ")").last).split(separator: " ")
    let ticks = try #require(Int(fields[11])) + (try #require(Int(fields[12])))
    return .seconds(ticks) / sysconf(Int32(_SC_CLK_TCK))
  }
}
