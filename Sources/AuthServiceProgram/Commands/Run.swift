import AuthBackend
import AuthMessages
import AuthService
import CommandLineKit
import Glibc
import TextFormat

/// `run`.
struct RunCommand: ServiceCommand {
  let database: DatabasePlace
  let socket: String
  let operators: String
  let group: String?
  let databaseThreads: Int?
  let limits: ServiceLimits

  static let command = Command<any ServiceCommand>(
    "run", summary: "Run the service until SIGTERM",
    discussion: [
      "With an SQLite database no other program may use the file meanwhile; services on one PostgreSQL database may be as many as you like.",
      "The socket is the one that systemd listens on, or is created: mode 0660, in a directory where only root "
        + "and the user of the service may write. A second socket is for operators alone.",
      "For two services on one machine, give one of them another --socket and another --operators.",
    ],
    options: [
      Options.database, Options.postgres, Options.socket, Options.operators, group,
      connections, connectionsOfUser, requestsOfUser, passwordsOfUser,
      databaseThreads, hashThreads, stopTime,
    ],
    examples: [
      "run --database /var/lib/auth-service": "serves the SQLite database in that directory",
      "run --postgres-file /etc/auth-service/postgres": "serves the PostgreSQL database that the file names",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { words throws(UsageError) in try RunCommand(words) }

  private static let group = Option.optional(
    "group", "NAME", ValueKind.identifier("a group", maximumBytes: 32), "The group that may connect")
  private static let standard = ServiceLimits(
    databaseThreads: 1, hashThreads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  private static let connections = count("connections", "Connections in all", standard.connections.all)
  private static let connectionsOfUser = count(
    "connections-per-user", "Connections of one user of the machine", standard.connections.ofUser)
  private static let requestsOfUser = count(
    "requests-per-user", "Requests of one user that wait for the database", standard.requests.ofUser)
  private static let passwordsOfUser = count(
    "passwords-per-user", "Passwords of one user that wait to be checked", standard.passwords.ofUser,
    shownAs: "\(standard.passwords.ofUser) of \(standard.passwords.all)")
  private static let databaseThreads = Option.optional(
    "database-threads", "N", number,
    "Requests that use the database simultaneously (default: SQLite 2, PostgreSQL 32)")
  private static let hashThreads = count(
    "hash-threads", "Passwords that are hashed simultaneously, of 64 MiB each", standard.hashThreads,
    shownAs: "one for each processor")
  private static let stopTime = Option.standard(
    "stop-time", "DURATION", ValueKind.duration(), "How long to finish what runs after SIGTERM",
    standard: standard.stopTime, shownAs: "10s")

  private static let number = ValueKind.wholeNumber("a number", in: 1...100_000)

  private static func count(
    _ name: String, _ summary: String, _ standard: Int, shownAs text: String? = nil
  ) -> Option<Int> {
    Option.standard(name, "N", number, summary, standard: standard, shownAs: text ?? "\(standard)")
  }

  init(_ words: ParsedWords) throws(UsageError) {
    database = try DatabasePlace(words)
    socket = words[Options.socket]
    operators = words[Options.operators] ?? Places.operators
    group = words[Self.group]
    databaseThreads = words[Self.databaseThreads]
    var limits = ServiceLimits(databaseThreads: 1, hashThreads: words[Self.hashThreads])
    limits.connections.all = words[Self.connections]
    limits.connections.ofUser = words[Self.connectionsOfUser]
    limits.requests.ofUser = words[Self.requestsOfUser]
    limits.passwords.ofUser = words[Self.passwordsOfUser]
    limits.stopTime = words[Self.stopTime]
    self.limits = limits
  }

  func run(in program: ServiceProgram) throws(CommandError) -> ExitStatus {
    let log = ServiceLog()
    let signals = StopSignals()
    let backend = try ServedBackend.open(
      database, cost: program.cost, threads: databaseThreads, hashThreads: limits.hashThreads)
    let facts = try backend.facts
    // From here on people may connect, and are served when all is ready.
    let people =
      if let inherited = ListeningSocket.inherited(named: "people") { inherited } else {
        try ListeningSocket(at: socket, mode: 0o660, group: try groupID)
      }
    defer { people.remove() }
    var limits = limits
    limits.databaseThreads = backend.threads
    let descriptors = Descriptors.raised
    limits.connections.all = min(limits.connections.all, descriptors - Descriptors.ownNeed)
    guard limits.connections.all > 0 else {
      throw CommandError(
        .cannotTell, saying: "the system lets this process open at most \(descriptors) files and connections",
        hint:
          "Raise LimitNOFILE, or the limit of your shell: the service needs \(Descriptors.ownNeed), and one for each "
          + "client.")
    }
    let server = AuthServer(
      backend.rules, identity: facts.identity, listener: people.descriptor, limits: limits,
      looksEvery: backend.looksEvery, log: log)
    guard server.start() else { throw .noThreads }
    let desk = try ListeningSocket(at: operators, mode: 0o600)
    defer { desk.remove() }
    guard OperatorDesk(listener: desk, server: server, backend: backend, log: log).start() else { throw .noThreads }
    SystemdNotice.ready.send()
    log.write(.information, "started", ["database": database.kind, "socket": people.path ?? "systemd"])
    signals.wait()
    SystemdNotice.stopping.send()
    let isFinished = server.stop()
    log.write(isFinished ? .information : .warning, "stopped", ["finished": isFinished ? "yes" : "no"])
    return .done
  }

  private var groupID: gid_t? {
    get throws(CommandError) {
      guard let group else { return nil }
      guard let found = getgrnam(group) else {
        throw CommandError(
          .usage, saying: "there is no group \(group.escaped)", hint: "Create it: groupadd --system \(group.escaped)")
      }
      return found.pointee.gr_gid
    }
  }
}

/// The descriptors of this process, one for each connection.
private enum Descriptors {
  /// How many the service needs besides those of its clients.
  static let ownNeed = 64

  /// How many it may have, raised to the most that the system allows.
  static var raised: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(min(limit.rlim_cur, 1_000_000))
  }
}
