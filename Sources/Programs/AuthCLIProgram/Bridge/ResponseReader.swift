import AuthOAuth

/// The response to a request, as far as it has arrived: the messages in it are handed on as soon as
/// they are complete.
struct ResponseReader {
  /// Why a response cannot be read further.
  enum Problem: Error {
    case notHTTP, tooLong
  }

  private(set) var status: Int?
  private(set) var headers: [String: String] = [:]
  private let limit: Int
  private var events: ServerSentEvents
  private var rest: [UInt8] = []
  /// The longest status line with headers.
  private static let longestHead = 1 << 16

  init(limit: Int) {
    self.limit = limit
    events = ServerSentEvents(limit: limit)
  }

  var isStream: Bool { hasType("text/event-stream") }
  private var isJSON: Bool { hasType("application/json") }
  /// The event from which the stream can be resumed.
  var lastEvent: String? { events.lastID }
  /// How long to wait before that.
  var pause: Duration? { events.retry.map { .milliseconds(min(max($0, 100), 60_000)) } }

  /// The scopes that a token lacks (RFC 6750, section 3.1); nil if the server says something else.
  var requiredScopes: String? {
    guard let challenge = headers["www-authenticate"].flatMap(BearerChallenge.init),
      challenge["error"] == "insufficient_scope"
    else { return nil }
    return challenge["scope"].flatMap { [String](scopes: $0) }?.joined(separator: " ") ?? ""
  }

  private func hasType(_ type: String) -> Bool {
    let own = headers["content-type"]?.prefix { $0 != ";" && $0 != " " }
    return own?.lowercased() == type
  }

  /// Takes the next bytes of curl's output, and returns the messages that they complete.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws(Problem) -> [[UInt8]] {
    if status != nil { return try takeBody(bytes) }
    let isComplete = endsHead(bytes)
    rest.append(contentsOf: bytes)
    var unread = rest[...]
    let head: (status: Int, headers: [String: String])?
    do throws(CurlFailure) { head = isComplete ? try CurlOutput.head(&unread) : nil } catch { throw .notHTTP }
    guard let head else {
      if rest.count > Self.longestHead { throw .tooLong }
      return []
    }
    (status, headers) = (head.status, head.headers)
    let body = Array(unread)
    rest = []
    return try body.withUnsafeBufferPointer { (bytes) throws(Problem) in try takeBody(bytes) }
  }

  /// Whether an empty line ends in the next bytes.
  ///
  /// A head that arrives byte by byte is not read from its start each time.
  private func endsHead(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var end = Array(rest.suffix(2))
    return bytes.contains { byte in
      defer { end = end.suffix(1) + [byte] }
      return byte == 0x0A && (end.last == 0x0A || end == [0x0A, 0x0D])
    }
  }

  private mutating func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) throws(Problem) -> [[UInt8]] {
    if isStream {
      do throws(ServerSentEvents.TooLong) { return try events.take(bytes) } catch { throw .tooLong }
    }
    if rest.count + bytes.count > limit { throw .tooLong }
    rest.append(contentsOf: bytes)
    return []
  }

  /// The message of an answer that has ended and is no stream; nil if it is empty, or a page.
  mutating func end() -> [UInt8]? {
    defer { rest = [] }
    return isJSON && !rest.isEmpty ? rest : nil
  }
}
