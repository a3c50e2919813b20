import AuthAccounts
import CPostgres
import ConcurrencyKit
import Glibc

/// Connects to the first of several hosts that answers; each attempt starts a little later than the
/// one before.
///
/// libpq tries one host after the other, and waits at least 2 s for one that a broken network
/// hides, at every command. So every host gets a connection of its own here, and the first that is
/// ready wins. Source: RFC 8305, "Happy Eyeballs".
final class Connecting: Sendable {
  /// A host, by its place in the address, with the settings that name it alone.
  private typealias Candidate = (host: Int, settings: [(keyword: String, value: String)])
  private typealias Attempt = (host: Int, connection: ServerConnection)

  private let address: ServerAddress
  private let limits: ServerLimits
  private let confirmed: ConfirmedServer?
  /// The host that answered last, which is tried first.
  private let last = Locked(0)

  /// - Parameters:
  ///   - address: Where the database is.
  ///   - limits: How long to wait.
  ///   - confirmed: The server that confirmed the last change; an older one is not used.
  init(_ address: ServerAddress, _ limits: ServerLimits = .standard, _ confirmed: ConfirmedServer? = nil) {
    (self.address, self.limits, self.confirmed) = (address, limits, confirmed)
  }

  /// - Throws: ``ServerFault`` of kind `notConnected`.
  func connect() throws(ServerFault) -> ServerConnection {
    let deadline = ContinuousClock.now + limits.connecting
    var (attempts, waiting) = try plan()
    var faults: [ServerFault] = []
    var nextStart = ContinuousClock.now
    while true {
      if !waiting.isEmpty, attempts.isEmpty || ContinuousClock.now >= nextStart {
        let (host, settings) = waiting.removeFirst()
        do throws(ServerFault) {
          attempts.append((host, try start(settings)))
        } catch {
          faults.append(error)
          continue
        }
        nextStart = ContinuousClock.now + limits.nextHost
      }
      guard !attempts.isEmpty else { throw summary(faults) }
      let now = ContinuousClock.now
      guard now < deadline else {
        let places = attempts.map(\.connection.place).joined(separator: ", ")
        throw .notConnected("\(places) did not answer within \(limits.connecting.wholeSeconds) s", .serverSilent)
      }
      var entries = attempts.map(\.connection.entry)
      // Interrupted or not: the next round looks again.
      let next = waiting.isEmpty ? deadline : min(deadline, nextStart)
      _ = poll(&entries, nfds_t(entries.count), (next - now).wholeMilliseconds)
      for (entry, (host, connection)) in zip(entries, attempts) where entry.revents != 0 {
        switch connection.advance() {
        case PGRES_POLLING_OK:
          do throws(ServerFault) {
            try confirmed?.verify(connection, until: deadline)
            last.withLock { $0 = host }
            return connection
          } catch {
            faults.append(error)
          }
        case PGRES_POLLING_FAILED: faults.append(connection.refusal)
        case _: continue
        }
        attempts.removeAll { $0.connection === connection }
      }
    }
  }

  /// Starts to connect with what every connection has, whatever the address says.
  private func start(_ settings: [(keyword: String, value: String)] = []) throws(ServerFault) -> ServerConnection {
    try ServerConnection(
      connecting: [("dbname", address.text)] + settings
        + [("client_encoding", "UTF8"), ("fallback_application_name", "auth-service")],
      limits)
  }

  /// The hosts to try; where the address names one alone with the right settings, the attempt that
  /// is begun.
  ///
  /// libpq alone knows what a service, the environment and the defaults add to the address.
  private func plan() throws(ServerFault) -> ([Attempt], [Candidate]) {
    let first = try start()
    let known = first.settings
    func list(_ keyword: String) -> [String] {
      known[keyword]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }
    let lists = ["host", "hostaddr", "port"].map { (keyword: $0, values: list($0)) }
    let (hosts, addresses) = (lists[0].values, lists[1].values)
    let count = max(hosts.count, addresses.count, 1)
    var common: [(keyword: String, value: String)] = []
    let isLocal = addresses.isEmpty && hosts.allSatisfy { $0.isEmpty || $0.hasPrefix("/") || $0.hasPrefix("@") }
    // libpq's own default would accept an unencrypted connection from anybody in between.
    if !isLocal, known["sslmode"] ?? "prefer" == "prefer" { common.append(("sslmode", "verify-full")) }
    if count > 1, known["target_session_attrs"] ?? "any" == "any" {
      common.append(("target_session_attrs", "read-write"))
    }
    if count == 1, common.isEmpty { return ([(0, first)], []) }
    // libpq has warned of a password file that others can read, and does not use it. It would warn
    // again of each host.
    var status = stat()
    if let file = known["passfile"], stat(file, &status) == 0, status.st_mode & (S_IRWXG | S_IRWXO) != 0 {
      common.append(("passfile", "/dev/null/none"))
    }
    let candidates = (0..<count).map { host in
      (host, common + lists.filter { $0.values.count == count }.map { (keyword: $0.keyword, value: $0.values[host]) })
    }
    let last = self.last.withLock { $0 }
    return ([], candidates.filter { $0.0 == last } + candidates.filter { $0.0 != last })
  }

  /// The messages of all attempts, with the code of the one that got furthest.
  private func summary(_ faults: [ServerFault]) -> ServerFault {
    var messages: [String] = []
    var trouble = BackendError.FailureCode.serverUnreachable
    for fault in faults {
      if !messages.contains(fault.message) { messages.append(fault.message) }
      if case .notConnected(_, let kind) = fault, kind != .serverUnreachable { trouble = kind }
    }
    return .notConnected(messages.joined(separator: "; "), trouble)
  }
}
