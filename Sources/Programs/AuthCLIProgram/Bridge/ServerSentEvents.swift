import TextFormat

/// Reads a stream of events (WHATWG HTML, "Server-sent events"), in any pieces.
struct ServerSentEvents {
  /// An event is longer than the limit.
  struct TooLong: Error {}

  /// The id of the last event that has one, from which the stream can be resumed.
  private(set) var lastID: String?
  /// How long to wait before the stream is resumed, in milliseconds, if the server said so.
  private(set) var retry: Int?
  private let limit: Int
  private var line: [UInt8] = []
  private var skipsNewline = false
  private var isFirstLine = true
  private var type: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var id: String?

  init(limit: Int) { self.limit = limit }

  /// Takes the next bytes, and returns the data of the messages that they complete.
  ///
  /// Events of another type, and those without data, are none.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws(TooLong) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    guard !bytes.isEmpty else { return messages }
    // The second half of a line end.
    var start = skipsNewline && bytes[0] == 0x0A ? 1 : 0
    skipsNewline = false
    while start < bytes.count {
      let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      line.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
      if line.count + data.count > limit { throw TooLong() }
      guard end < bytes.count else { break }
      start = end + 1
      if bytes[end] == 0x0D {
        skipsNewline = start == bytes.count
        if !skipsNewline, bytes[start] == 0x0A { start += 1 }
      }
      if let message = endLine() { messages.append(message) }
    }
    return messages
  }

  /// Ends a line, and returns the data of a message that ends with it.
  private mutating func endLine() -> [UInt8]? {
    var content = line[...]
    if isFirstLine, content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
    isFirstLine = false
    defer { line.removeAll(keepingCapacity: line.capacity < 1 << 16) }
    guard !content.isEmpty else {
      defer { (data, type, hasData) = ([], [], false) }
      lastID = id ?? lastID
      return hasData && !data.isEmpty && (type.isEmpty || type == Array("message".utf8)) ? data : nil
    }
    let colon = content.firstIndex(of: UInt8(ascii: ":"))
    var value = colon.map { content[($0 + 1)...] } ?? []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: content[..<(colon ?? content.endIndex)], as: UTF8.self) {
    case "data":
      if hasData { data.append(UInt8(ascii: "\n")) }
      data.append(contentsOf: value)
      hasData = true
    case "event": type = Array(value)
    // An id goes back to the server in a header.
    case "id": if value.allSatisfy({ (0x21...0x7E).contains($0) }) { id = String(decoding: value, as: UTF8.self) }
    case "retry":
      if !value.isEmpty, value.allSatisfy(\.isASCIIDigit) { retry = Int(String(decoding: value, as: UTF8.self)) }
    case _: break
    }
    return nil
  }
}
