import AuthBackend
import CPostgres
import Glibc
import Guards

/// Makes a connection: host after host, each a little later beside those that have not answered
/// yet.
///
/// libpq tries one host after the other, and waits at least 2 s for one that a broken network
/// hides, at every command. So every host gets a connection of its own here, and the first that is
/// ready wins. Source: RFC 8305, "Happy Eyeballs".
struct Connecting {
  let address: ServerAddress
  let limits: ServerLimits
  /// Says why a server must not be used; nil when it may be.
  var verify: (@Sendable (ServerConnection, ContinuousClock.Instant) -> ServerFault?)?
  /// The host that answered last, which is tried first.
  var order: HostOrder?

  /// One host, with the settings that name it alone.
  private struct Candidate {
    /// Its place in the address.
    let index: Int
    let settings: [(String, String)]
  }

  private struct Attempt {
    let connection: OpaquePointer
    var index = 0
    var state: PostgresPollingStatusType = PGRES_POLLING_WRITING

    /// What to wait for.
    var entry: pollfd {
      pollfd(fd: PQsocket(connection), events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
    }
  }

  /// - Throws: ``ServerFault`` of kind `notConnected`.
  func connect() throws(ServerFault) -> ServerConnection {
    let deadline = ContinuousClock.now + limits.connecting
    let first = try start([])
    let candidates = plan(first.connection)
    if candidates.isEmpty { return try race([first], [], until: deadline) }
    PQfinish(first.connection)
    let last = order?.last ?? 0
    return try race(
      [], candidates.filter { $0.index == last } + candidates.filter { $0.index != last }, until: deadline)
  }

  /// What every connection has, whatever the address says.
  private func start(_ settings: [(String, String)]) throws(ServerFault) -> Attempt {
    let all =
      [("dbname", address.text)] + settings
      + [("client_encoding", "UTF8"), ("fallback_application_name", "auth-service")]
    let keywords = all.map { strdup($0.0) } + [nil]
    let values = all.map { strdup($0.1) } + [nil]
    defer { for text in keywords + values { free(text) } }
    guard
      let connection = PQconnectStartParams(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
    else { throw .notConnected("out of memory", .serverUnreachable) }
    // With its SQLSTATE, a refusal is understood in every language.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    // Where one host of several cannot be reached at once, libpq has gone on to the next by itself.
    if PQstatus(connection) == CONNECTION_BAD {
      defer { PQfinish(connection) }
      throw fault(connection)
    }
    return Attempt(connection: connection)
  }

  /// The hosts, or none where the attempt that was begun is to one alone and has the right
  /// settings.
  ///
  /// libpq alone knows what a service, the environment and the defaults add to the address.
  private func plan(_ connection: OpaquePointer) -> [Candidate] {
    guard let options = PQconninfo(connection) else { return [] }
    defer { PQconninfoFree(options) }
    var known: [String: String] = [:]
    for option in PostgresText.options(options) { known[option.keyword] = option.value }
    func list(_ keyword: String) -> [String] {
      known[keyword]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }
    let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(hosts.count, addresses.count, 1)
    var common: [(String, String)] = []
    let isLocal = addresses.isEmpty && hosts.allSatisfy { $0.isEmpty || $0.hasPrefix("/") || $0.hasPrefix("@") }
    // libpq's own default would accept an unencrypted connection from anybody in between.
    if !isLocal, known["sslmode"] ?? "prefer" == "prefer" { common.append(("sslmode", "verify-full")) }
    if count > 1, known["target_session_attrs"] ?? "any" == "any" {
      common.append(("target_session_attrs", "read-write"))
    }
    if count == 1, common.isEmpty { return [] }
    // libpq has warned of a password file that others can read, and does not use it. It would warn
    // again of each host.
    var status = stat()
    if let file = known["passfile"], stat(file, &status) == 0, status.st_mode & (S_IRWXG | S_IRWXO) != 0 {
      common.append(("passfile", "/dev/null/none"))
    }
    return (0..<count).map { index in
      var settings = common
      if hosts.count == count { settings.append(("host", hosts[index])) }
      if addresses.count == count { settings.append(("hostaddr", addresses[index])) }
      if ports.count == count { settings.append(("port", ports[index])) }
      if ports.count == 1 { settings.append(("port", ports[0])) }
      return Candidate(index: index, settings: settings)
    }
  }

  private func race(
    _ begun: [Attempt], _ waiting: [Candidate], until deadline: ContinuousClock.Instant
  ) throws(ServerFault) -> ServerConnection {
    var attempts = begun
    var candidates = waiting[...]
    var faults: [ServerFault] = []
    defer { for attempt in attempts { PQfinish(attempt.connection) } }
    var nextStart = ContinuousClock.now
    while true {
      if !candidates.isEmpty, attempts.isEmpty || ContinuousClock.now >= nextStart {
        do throws(ServerFault) {
          let candidate = candidates.removeFirst()
          var attempt = try start(candidate.settings)
          attempt.index = candidate.index
          attempts.append(attempt)
        } catch {
          faults.append(error)
          continue
        }
        nextStart = ContinuousClock.now + limits.nextHost
      }
      guard !attempts.isEmpty else { throw summary(faults) }
      let now = ContinuousClock.now
      guard now < deadline else {
        let places = attempts.map { ServerConnection.place(of: $0.connection) }.joined(separator: ", ")
        throw .notConnected("\(places) did not answer within \(limits.connecting.secondsRoundedUp) s", .serverSilent)
      }
      wait(for: attempts, atMost: min(deadline, candidates.isEmpty ? deadline : nextStart) - now)
      var index = 0
      while index < attempts.count {
        attempts[index].state = advanced(attempts[index])
        switch attempts[index].state {
        case PGRES_POLLING_OK:
          let ready = attempts.remove(at: index)
          PQsetErrorVerbosity(ready.connection, PQERRORS_DEFAULT)
          let connection = ServerConnection(ready.connection)
          guard let fault = verify?(connection, deadline) else {
            order?.last = ready.index
            return connection
          }
          faults.append(fault)
        case PGRES_POLLING_FAILED:
          let failed = attempts.remove(at: index).connection
          faults.append(fault(failed))
          PQfinish(failed)
        case _: index += 1
        }
      }
    }
  }

  private func wait(for attempts: [Attempt], atMost left: Duration) {
    var entries = attempts.map(\.entry)
    // Interrupted or not: the next round looks again.
    _ = poll(&entries, nfds_t(entries.count), left.wholeMilliseconds)
  }

  private func advanced(_ attempt: Attempt) -> PostgresPollingStatusType {
    if PQstatus(attempt.connection) == CONNECTION_BAD { return PGRES_POLLING_FAILED }
    var entry = attempt.entry
    guard poll(&entry, 1, 0) > 0 else { return attempt.state }
    return PQconnectPoll(attempt.connection)
  }

  private func fault(_ connection: OpaquePointer) -> ServerFault {
    let (message, state) = PostgresText.refusal(PQerrorMessage(connection))
    return .notConnected(
      message,
      BackendError.FailureCode(
        connecting: message, state: state, needsPassword: PQconnectionNeedsPassword(connection) != 0,
        usedPassword: PQconnectionUsedPassword(connection) != 0))
  }

  /// All that failed; the trouble of the one that came furthest.
  private func summary(_ faults: [ServerFault]) -> ServerFault {
    var messages: [String] = []
    var trouble = BackendError.FailureCode.serverUnreachable
    for case .notConnected(let message, let kind) in faults {
      if !messages.contains(message) { messages.append(message) }
      if kind != .serverUnreachable { trouble = kind }
    }
    return .notConnected(messages.joined(separator: "; "), trouble)
  }
}

/// The host that answered last, by its place in the address.
final class HostOrder: Sendable {
  private let index = Locked(0)

  var last: Int {
    get { index.withLock { $0 } }
    set { index.withLock { $0 = newValue } }
  }
}
