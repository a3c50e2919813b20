import AuthBackend
import CPostgres
import Glibc
import TextFormat

/// One connection to the server, made and used with deadlines of our own.
///
/// Nothing is ever cancelled: a cancelled wait for replication is answered with success, and the
/// change can be lost. At a deadline the socket is closed.
final class ServerConnection {
  private let connection: OpaquePointer
  private let notices = Notices()

  /// The address, as `host:port` or the path of the socket, for messages.
  let place: String

  /// The server, until it is written down that it confirmed a change.
  var unconfirmed: ConfirmedServer.Identity?

  init(_ connection: OpaquePointer) {
    self.connection = connection
    place = Self.place(of: connection)
    PQsetnonblocking(connection, 1)
    PQsetNoticeReceiver(
      connection,
      { context, result in
        guard let context, let result else { return }
        let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
        if let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))),
          state.pointee == Int8(bitPattern: UInt8(ascii: "0")),
          state[1] == Int8(bitPattern: UInt8(ascii: "1")),
          let text = PQresultErrorField(result, Int32(UInt8(ascii: "M")))
        {
          notices.warning = PostgresText.line(text)
        }
      }, Unmanaged.passUnretained(notices).toOpaque())
  }

  deinit {
    PQfinish(connection)
  }

  private final class Notices {
    var warning: String?
  }

  private var descriptor: Int32 { PQsocket(connection) }

  /// The name of the database.
  var database: String { PQdb(connection).map { String(cString: $0) } ?? "" }

  /// What libpq said last.
  private var lastMessage: String { PostgresText.line(PQerrorMessage(connection)) }

  /// Refuses a database that does not say how its bytes are to be read.
  ///
  /// libpq was told by the server, so this asks nothing; a pool may not pass it on.
  func requireUTF8() throws(ServerFault) {
    guard let encoding = PQparameterStatus(connection, "server_encoding").map({ String(cString: $0) }),
      encoding != "UTF8"
    else { return }
    throw .refused(state: ServerState.otherEncoding, encoding)
  }

  /// Whether the server closed the connection since the last call.
  func isGone() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) > 0 else { return false }
    return PQconsumeInput(connection) == 0 || PQstatus(connection) != CONNECTION_OK
  }

  /// Runs one statement in a transaction of its own.
  ///
  /// - Parameters:
  ///   - statement: The text, with $1, $2 and so on.
  ///   - arguments: Their values, in text form; nil is null.
  ///   - deadline: When to give up.
  /// - Returns: The rows; each value in text form.
  /// - Throws: ``ServerFault``; ``ServerFault/unknown(_:)`` says that it may have been done.
  func run(
    _ statement: String, _ arguments: [String?] = [], until deadline: ContinuousClock.Instant
  ) throws(ServerFault) -> [[String?]] {
    let values = arguments.map { argument in argument.map { strdup($0) } ?? nil }
    defer { for value in values { free(value) } }
    return try result(until: deadline) {
      PQsendQueryParams($0, statement, Int32(values.count), nil, values.map { UnsafePointer($0) }, nil, nil, 0)
    }.texts
  }

  /// Runs several statements without arguments, in one transaction.
  func runScript(_ script: String, until deadline: ContinuousClock.Instant) throws(ServerFault) {
    _ = try result(until: deadline) { PQsendQuery($0, script) }
  }

  /// Begins a COPY from this client.
  func startCopy(_ statement: String, until deadline: ContinuousClock.Instant) throws(ServerFault) {
    notices.warning = nil
    guard PQsendQuery(connection, statement) == 1, let result = try nextResult(until: deadline) else {
      throw .unknown(lastMessage)
    }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COPY_IN else { throw fault(of: result) }
  }

  /// Sends lines of a COPY.
  func put(_ lines: [UInt8], until deadline: ContinuousClock.Instant) throws(ServerFault) {
    let taken = lines.withUnsafeBytes { bytes in
      PQputCopyData(connection, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
    }
    guard taken == 1 else { throw .unknown(lastMessage) }
    var unsent = PQflush(connection)
    while unsent > 0 {
      try wait(for: POLLIN | POLLOUT, until: deadline)
      unsent = PQflush(connection)
    }
    if unsent < 0 { throw .unknown(lastMessage) }
  }

  /// Ends a COPY, and takes the server's answer to it.
  func endCopy(until deadline: ContinuousClock.Instant) throws(ServerFault) {
    guard PQputCopyEnd(connection, nil) == 1 else { throw .unknown(lastMessage) }
    _ = try answer(until: deadline)
  }

  /// Sends a question by one of libpq's functions, and takes the last result of its answer.
  ///
  /// - Throws: ``ServerFault``.
  func result(
    until deadline: ContinuousClock.Instant, _ send: (OpaquePointer) -> Int32
  ) throws(ServerFault) -> ServerResult {
    notices.warning = nil
    try self.send(send)
    return try answer(until: deadline)
  }

  /// Sends several questions together, and takes the answer to the last.
  ///
  /// - Parameters:
  ///   - deadline: When to give up.
  ///   - send: Sends them, and returns how many.
  /// - Returns: The answer to the last.
  /// - Throws: ``ServerFault``, after which the connection is of no use.
  func lastResult(
    until deadline: ContinuousClock.Instant, _ send: () throws(ServerFault) -> Int
  ) throws(ServerFault) -> ServerResult {
    notices.warning = nil
    guard PQenterPipelineMode(connection) == 1 else { throw .notConnected(lastMessage, .serverUnreachable) }
    let count = try send()
    guard PQpipelineSync(connection) == 1 else { throw .unknown(lastMessage) }
    var last: ServerResult?
    for _ in 0..<count { last = try answer(until: deadline) }
    guard let last, let end = try nextResult(until: deadline) else { throw .unknown(lastMessage) }
    defer { PQclear(end) }
    guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(connection) == 1 else {
      throw .unknown(lastMessage)
    }
    return last
  }

  /// Sends a question by one of libpq's functions.
  func send(_ question: (OpaquePointer) -> Int32) throws(ServerFault) {
    guard question(connection) == 1 else { throw .notConnected(lastMessage, .serverUnreachable) }
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
    if let warning = notices.warning { throw .unknown("it warned: \(warning)") }
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
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    guard entry.fd >= 0 else { throw .unknown(lastMessage) }
    let left = deadline - ContinuousClock.now
    guard left > .zero else { throw .unknown("no answer in time") }
    if poll(&entry, 1, left.wholeMilliseconds) < 0, errno != EINTR { throw .unknown(ErrorNumber.current.explanation) }
    if entry.revents & Int16(POLLIN | POLLERR | POLLHUP) != 0, PQconsumeInput(connection) == 0 {
      throw .unknown(lastMessage)
    }
  }

  /// An ERROR was undone; after a FATAL the commit may have been made.
  private func fault(of result: OpaquePointer) -> ServerFault {
    let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { PostgresText.line($0) }
    guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))),
      let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))), String(cString: severity) == "ERROR"
    else { return .unknown(message ?? lastMessage) }
    return .refused(state: String(cString: state), message ?? "no reason given")
  }

  static func place(of connection: OpaquePointer) -> String {
    let host = PQhost(connection).map { String(cString: $0) } ?? ""
    let port = PQport(connection).map { String(cString: $0) } ?? ""
    return host.hasPrefix("/") ? host.escaped : "\(host):\(port)".escaped
  }
}

extension Duration {
  /// Whole milliseconds, rounded up, for poll(2).
  var wholeMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
