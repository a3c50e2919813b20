import AuthAccounts
import AuthMessages
import AuthRules
import AuthServer
import AuthService
import CommandLineKit
import Glibc
import TextFormat

/// `run`.
enum RunCommand {
  static let command = Command<ServiceCommand>(
    "run", summary: "Run the service until SIGTERM",
    discussion: [
      "With an SQLite database no other program may use the file meanwhile; any number of services may share one PostgreSQL database.",
      "The socket is the one that systemd listens on, or is created: mode 0660, in a directory where only root "
        + "and the user of the service may write. A second socket is for operators alone.",
      "For two services on one machine, give one of them another --socket and another --operators.",
      "SIGTERM and SIGINT end it: it finishes the running requests, and its status is 0. SIGHUP is ignored.",
      "It writes its log to standard error: a time and a level before each line, or for systemd the level alone.",
    ],
    options: ServiceOptions.databases + [ServiceOptions.socket, ServiceOptions.operators, group]
      + counts.map { $0.option }
      + [stopTime],
    examples: [
      "run --database /var/lib/auth-service": "serves the SQLite database in that directory",
      "run --postgres-file /etc/auth-service/postgres": "serves the PostgreSQL database that the file names",
    ],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words throws(CommandError) in
    let database = try DatabaseLocation(words)
    return ServiceCommand(whereEmpty: database.whereEmpty) { program throws(CommandError) in
      try run(database, words, program)
    }
  }

  private static let group = Option.optional(
    "group", "NAME", ValueKind.identifier("a group", maximumBytes: 32),
    "The group that may connect (default: auth-cli if root runs it and there is that group, otherwise that of the process)"
  )
  private static let stopTime = Option.optional(
    "stop-time", "DURATION", ValueKind.duration(), "How long to finish what runs after SIGTERM (default: 10s)")

  /// The options that are numbers, and the limits that they set.
  static let counts = [
    count("connections", \.connections.all, "Connections in all (default: 4096)"),
    count("connections-per-user", \.connections.ofUser, "Connections of one user of the machine (default: 1024)"),
    count("requests-per-user", \.requests.ofUser, "Requests of one user that wait (default: 512)"),
    count("passwords-per-user", \.passwords.ofUser, "Passwords of one user that wait (default: 224 of 256)"),
    count("names-per-user", \.namesOfUser, "Registrations of one user without a pause (default: 100); then 1 a minute"),
    count(
      "failures-per-user", \.failuresOfUser,
      "Failed logins of one user without a pause (default: 1000); then 6 a minute"),
    count("database-threads", \.databaseThreads, "Simultaneous database requests (default: SQLite 2, PostgreSQL 32)"),
    count("hash-threads", \.hashThreads, "Simultaneous hashes, of 64 MiB each (default: one for each processor)"),
  ]

  typealias Limit = any WritableKeyPath<ServiceLimits, Int> & Sendable

  private static func count(_ name: String, _ limit: Limit, _ summary: String) -> (option: Option<Int?>, limit: Limit) {
    (Option.optional(name, "N", ValueKind.wholeNumber("a number", in: 1...100_000), summary), limit)
  }

  private static func limits(_ words: ParsedWords, of database: DatabaseLocation) -> ServiceLimits {
    let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var limits = ServiceLimits(databaseThreads: database.standardThreads, hashThreads: processors)
    for (option, limit) in counts {
      if let number = words[option] { limits[keyPath: limit] = number }
    }
    if let time = words[stopTime] { limits.stopTime = time }
    return limits
  }

  private static func run(
    _ database: DatabaseLocation, _ words: ParsedWords, _ program: ServiceProgram
  ) throws(CommandError) -> ExitStatus {
    let log = ServiceLog()
    let signals = StopSignals()
    var limits = limits(words, of: database)
    let connections = limits.databaseConnections
    let backend = try ServedBackend(database, cost: program.cost, connections: connections)
    let facts = try backend.facts
    // From here on clients can connect; they are served once everything is ready.
    let people =
      if let inherited = ListeningSocket.inherited(named: "people") { inherited } else {
        try ListeningSocket(at: words[ServiceOptions.socket], mode: 0o660, group: try groupID(words[group]))
      }
    defer { people.remove() }
    let (descriptors, ownNeed) = (Descriptors.raised(), Descriptors.ownNeed + connections)
    limits.connections.all = min(limits.connections.all, descriptors - ownNeed)
    guard limits.connections.all > 0 else {
      throw CommandError(
        .cannotTell, saying: "the system lets this process open at most \(descriptors) files and connections",
        hint: "Raise LimitNOFILE, or 'ulimit -n': the service needs \(ownNeed), and one for each client.")
    }
    let server = AuthServer(
      backend.rules, identity: facts.identity, listener: people.descriptor, limits: limits,
      pollInterval: backend.pollInterval, log: log)
    guard server.start() else { throw .noThreads }
    let operators = try ListeningSocket(at: words[ServiceOptions.operators], mode: 0o600)
    defer { operators.remove() }
    guard OperatorServer(listener: operators, people: people, server: server, backend: backend, log: log).start() else {
      throw .noThreads
    }
    SystemdNotice.ready.send()
    log.write(
      .info, "started",
      [
        "version": Release.version, "pid": "\(getpid())",
        "database": backend.embedded == nil ? "postgresql" : "sqlite", "socket": people.path ?? "systemd",
      ])
    if backend.embedded == nil, let most = Postgres.number(.connections, backend.rules.database), most < connections {
      log.write(.warning, "max_connections", ["available": "\(most)", "needed": "\(connections)"])
    }
    signals.wait()
    SystemdNotice.stopping.send()
    let isFinished = server.stop() && backend.end()
    log.write(
      isFinished ? .info : .warning, "stopped", ["pid": "\(getpid())", "finished": isFinished ? "yes" : "no"])
    return .done
  }

  private static func groupID(_ group: String?) throws(CommandError) -> gid_t? {
    // The group of root would exclude the users of the service.
    guard let group else { return geteuid() == 0 ? getgrnam("auth-cli")?.pointee.gr_gid : nil }
    guard let found = getgrnam(group) else {
      throw CommandError(
        .usage, saying: "there is no group \(group.escaped)", hint: "Create it: groupadd --system \(group.escaped)")
    }
    return found.pointee.gr_gid
  }
}

/// The descriptors of this process, one for each connection.
private enum Descriptors {
  /// How many the service needs besides those of its clients and of its database's connections.
  static let ownNeed = 64

  /// How many it may have, raised to the most that the system allows.
  static func raised() -> Int {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(files, &limit)
    _ = getrlimit(files, &limit)
    return Int(min(limit.rlim_cur, 1_000_000))
  }
}
