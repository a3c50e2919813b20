import AuthAccounts
import AuthCore
import AuthRules
import CPostgres
import Glibc
import TextFormat

/// One connection to the server, made and used with deadlines of our own.
///
/// No statement is ever cancelled by a request: a cancelled wait for replication is answered with
/// success, and the change can be lost. At a deadline the connection is given up, and the server,
/// which looks for that every second, ends what runs on it; a commit that waits goes on.
/// Source: PostgreSQL, "client_connection_check_interval".
// Safe: the pool lends it to one transaction at a time; a command that makes one uses it alone.
final class ServerConnection: @unchecked Sendable {
  /// A statement with the values of $1, $2 and so on.
  typealias Statement = (sql: String, values: [SQLValue])

  private let connection: OpaquePointer
  let limits: ServerLimits
  /// How far the connection is.
  private var progress = PGRES_POLLING_WRITING
  /// What the server warned of in its last answer.
  private var warning: String?
  /// The names of the statements that are prepared.
  private var names: [String: String] = [:]

  /// The identity of the tables at the other end; ``PostgresSchema`` reads it.
  var database = BootID(high: 0, low: 0)
  /// The server's process for this connection, as it said when the settings were made.
  ///
  /// Every transaction compares it: a pooler may give each one to another process, which has other
  /// settings, other prepared statements and no lock of ours.
  var process: Int64?
  /// Whether a pooler is between the two ends.
  var isPooled: Bool { process != Int64(PQbackendPID(connection)) }
  /// The server, where it matters which one confirms a change.
  var server: ConfirmedServer.Identity?

  /// Starts to connect; ``advance()`` continues.
  ///
  /// - Parameters:
  ///   - settings: Keywords of libpq and their values; later ones replace earlier ones.
  ///   - limits: How long to wait.
  /// - Throws: ``ServerFault`` of kind `notConnected`.
  init(connecting settings: [(keyword: String, value: String)], _ limits: ServerLimits) throws(ServerFault) {
    let started = withCStrings(settings.map(\.keyword) + [nil]) { keywords in
      withCStrings(settings.map(\.value) + [nil]) { PQconnectStartParams(keywords, $0, 1) }
    }
    guard let started else { throw .notConnected("out of memory", .serverUnreachable) }
    (connection, self.limits) = (started, limits)
    // With its SQLSTATE, a refusal is understood in every language.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    // Where one host of several cannot be reached at once, libpq has gone on to the next by itself.
    if PQstatus(connection) == CONNECTION_BAD { throw refusal }
  }

  deinit {
    PQfinish(connection)
  }

  /// Continues to connect, once the socket is ready for ``entry``.
  func advance() -> PostgresPollingStatusType {
    progress = PQconnectPoll(connection)
    guard progress == PGRES_POLLING_OK else { return progress }
    PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
    PQsetnonblocking(connection, 1)
    PQsetNoticeReceiver(
      connection,
      { context, result in
        guard let context, let result else { return }
        // SQLSTATEs of class 01 are warnings.
        guard ServerConnection.field("C", of: result)?.hasPrefix("01") == true else { return }
        let connection = Unmanaged<ServerConnection>.fromOpaque(context).takeUnretainedValue()
        connection.warning = ServerConnection.field("M", of: result).map { PostgresText.line($0) }
      }, Unmanaged.passUnretained(self).toOpaque())
    return progress
  }

  /// The socket, and the readiness to wait for while it connects.
  var entry: pollfd {
    pollfd(fd: PQsocket(connection), events: Int16(progress == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
  }

  /// Why it did not connect.
  var refusal: ServerFault {
    let (message, state) = PostgresText.refusal(PQerrorMessage(connection))
    let isAboutPassword = PQconnectionNeedsPassword(connection) != 0 || PQconnectionUsedPassword(connection) != 0
    return .notConnected(
      message, BackendError.FailureCode(connecting: message, state: state, isAboutPassword: isAboutPassword))
  }

  /// What libpq made of the address, a service, the environment and the defaults.
  var settings: [String: String] { PostgresText.options(PQconninfo(connection)) }

  /// The address, as `host:port` or the path of the socket, for messages.
  var place: String {
    let (host, port) = (String(cString: PQhost(connection)), String(cString: PQport(connection)))
    return host.hasPrefix("/") ? host.escaped : "\(host):\(port)".escaped
  }

  /// The name of the database.
  var databaseName: String { PQdb(connection).map { String(cString: $0) } ?? "" }

  /// What libpq said last.
  private var lastMessage: String { PostgresText.line(String(cString: PQerrorMessage(connection))) }

  /// Refuses a database whose encoding is not UTF-8.
  ///
  /// The server reported it when the connection began, so this sends nothing. Behind a connection
  /// pool it may be unknown.
  func requireUTF8() throws(ServerFault) {
    guard let encoding = PQparameterStatus(connection, "server_encoding").map({ String(cString: $0) }),
      encoding != "UTF8"
    else { return }
    throw .refused(state: ServerState.otherEncoding, encoding)
  }

  /// Whether no transaction is open, and every answer was read.
  var isIdle: Bool {
    PQtransactionStatus(connection) == PQTRANS_IDLE && PQpipelineStatus(connection) == PQ_PIPELINE_OFF
  }

  /// Gives the connection up, so that the server ends what runs on it.
  ///
  /// The socket stays open until the server ends its side, which ``isGone()`` sees.
  func abandon() { shutdown(PQsocket(connection), Int32(SHUT_WR)) }

  /// Whether the server closed the connection since the last call.
  func isGone() -> Bool {
    guard PQstatus(connection) == CONNECTION_OK else { return true }
    var entry = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) > 0 else { return false }
    return PQconsumeInput(connection) == 0 || PQstatus(connection) != CONNECTION_OK
  }

  /// Runs statements without values, which are one transaction unless they say otherwise.
  ///
  /// - Parameters:
  ///   - statements: The statements.
  ///   - deadline: When the answer is too late, if that is not the limit of every answer.
  /// - Returns: The rows of the last one; each value in text form.
  /// - Throws: ``ServerFault``; ``ServerFault/unknown(_:)`` says that it may have been done.
  @discardableResult
  func run(_ statements: String, until deadline: ContinuousClock.Instant? = nil) throws(ServerFault) -> [[String?]] {
    warning = nil
    try require(PQsendQuery(connection, statements))
    return try answer(until: deadline ?? .now + limits.answer).texts
  }

  /// Runs statements in one round trip (libpq, "Pipeline Mode"), each prepared at its first use.
  ///
  /// - Returns: The answer to each.
  /// - Throws: ``ServerFault``. The server runs nothing after a statement that fails. The
  ///   connection is of no use then: it may not know what was to be prepared.
  @discardableResult
  func run(_ statements: [Statement]) throws(ServerFault) -> [ServerResult] {
    let deadline = ContinuousClock.now + limits.answer
    warning = nil
    try require(PQenterPipelineMode(connection))
    /// For each message that was sent, whether it only prepares a statement.
    var sent: [Bool] = []
    for (sql, values) in statements {
      if names[sql] == nil {
        names[sql] = "s\(names.count)"
        try require(PQsendPrepare(connection, names[sql], sql, 0, nil))
        sent.append(true)
      }
      try require(
        withCStrings(values.map(\.postgresText)) {
          PQsendQueryPrepared(connection, names[sql], Int32($0.count), $0, nil, nil, 1)
        })
      sent.append(false)
    }
    guard PQpipelineSync(connection) == 1 else { throw .unknown(lastMessage) }
    var results: [ServerResult] = []
    for isPreparation in sent {
      let result = try answer(until: deadline)
      if !isPreparation { results.append(result) }
    }
    guard let end = try nextResult(until: deadline) else { throw .unknown(lastMessage) }
    defer { PQclear(end) }
    guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(connection) == 1 else {
      throw .unknown(lastMessage)
    }
    return results
  }

  /// Checks that a function of libpq took what is to be sent.
  private func require(_ status: Int32) throws(ServerFault) {
    guard status == 1 else { throw .notConnected(lastMessage, .serverUnreachable) }
  }

  private func answer(until deadline: ContinuousClock.Instant) throws(ServerFault) -> ServerResult {
    var last: ServerResult?
    var failure: ServerFault?
    while let result = try nextResult(until: deadline) {
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: last = ServerResult(result)
      case _:
        if failure == nil { failure = fault(of: result) }
        PQclear(result)
      }
    }
    if let failure { throw failure }
    guard let last, PQstatus(connection) == CONNECTION_OK else { throw .unknown(lastMessage) }
    // The change is made at this server, and may not be at the one that takes its place.
    if let warning { throw .unknown("it warned: \(warning)") }
    return last
  }

  private func nextResult(until deadline: ContinuousClock.Instant) throws(ServerFault) -> OpaquePointer? {
    var unsent = PQflush(connection)
    while unsent != 0 || PQisBusy(connection) != 0 {
      if unsent < 0 { throw .unknown(lastMessage) }
      try wait(for: unsent == 0 ? POLLIN : POLLIN | POLLOUT, until: deadline)
      if unsent != 0 { unsent = PQflush(connection) }
    }
    return PQgetResult(connection)
  }

  /// Waits for the socket, and takes what has arrived.
  private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(ServerFault) {
    var entry = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
    guard entry.fd >= 0 else { throw .unknown(lastMessage) }
    // Polled even at the deadline: the answer may have arrived while this process was stopped. One
    // that is still arriving is read to its end.
    let left = deadline - ContinuousClock.now
    let count = poll(&entry, 1, max(.zero, left).wholeMilliseconds)
    if count == 0, left <= .zero { throw .unknown("no answer in time") }
    if count < 0, errno != EINTR { throw .unknown(ErrorNumber.current.explanation) }
    if entry.revents & Int16(POLLIN | POLLERR | POLLHUP) != 0, PQconsumeInput(connection) == 0 {
      throw .unknown(lastMessage)
    }
  }

  /// An ERROR was undone; after a FATAL the commit may have been made.
  private func fault(of result: OpaquePointer) -> ServerFault {
    let message = Self.field("M", of: result).map { PostgresText.line($0) }
    guard let state = Self.field("C", of: result), Self.field("V", of: result) == "ERROR" else {
      return .unknown(message ?? lastMessage)
    }
    return .refused(state: state, message ?? "no reason given")
  }

  /// A field of a refusal or a notice (PostgreSQL, "Error and Notice Message Fields").
  private static func field(_ code: Unicode.Scalar, of result: OpaquePointer) -> String? {
    PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
  }
}

/// Runs `body` with texts as C has them; nil is a null pointer.
private func withCStrings<Result>(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
  let copies = texts.map { text in text.flatMap { strdup($0) } }
  defer { for copy in copies { free(copy) } }
  return body(copies.map { UnsafePointer($0) })
}

extension SQLValue {
  /// As the server reads it in text form; nil is null.
  fileprivate var postgresText: String? {
    switch self {
    case .integer(let number): String(number)
    case .text(let text): text
    case .blob(let bytes): "\\x" + Hex.text(bytes)
    case .null: nil
    }
  }
}

extension Duration {
  /// Whole milliseconds, rounded up, for poll(2).
  var wholeMilliseconds: Int32 { Int32(clamping: wholeNanoseconds / 1_000_000 + 1) }
}
