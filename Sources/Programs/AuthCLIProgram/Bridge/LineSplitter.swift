import TextFormat

/// Splits received bytes into lines, and keeps at most one line of limited length.
struct LineSplitter {
  /// A line of the input, whole or too long.
  enum Line: Equatable {
    /// Its bytes, without the line end.
    case whole([UInt8])
    /// A line beyond the limit, and the `id` of its message as JSON, if it has one.
    case tooLong(id: [UInt8]?)
  }

  private let limit: Int
  private var rest: [UInt8] = []
  /// What is looked for in a line beyond the limit, whose bytes are not kept.
  private var id: MessageID?

  init(limit: Int) { self.limit = limit }

  /// Takes the next bytes, and returns the lines that they complete.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) -> [Line] {
    var lines: [Line] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
      keep(UnsafeBufferPointer(rebasing: bytes[start..<(end ?? bytes.count)]))
      guard let end else { break }
      lines.append(id.map { .tooLong(id: $0.found) } ?? .whole(rest))
      (rest, id) = ([], nil)
      start = end + 1
    }
    return lines
  }

  private mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) {
    if id == nil, rest.count + bytes.count <= limit { return rest.append(contentsOf: bytes) }
    var scan = id ?? MessageID()
    for byte in rest { scan.take(byte) }
    rest = []
    for byte in bytes { scan.take(byte) }
    id = scan
  }
}

/// Finds the `id` of a JSON-RPC message, byte by byte: a request whose line is too long is refused
/// by its id.
struct MessageID {
  /// The value as JSON.
  private(set) var found: [UInt8]?
  private var depth = 0
  private var isString = false
  private var isEscaped = false
  private var name: [UInt8] = []
  /// The name or the value that is being read, if it is a member of the message.
  private var part: [UInt8] = []
  /// The longest id that is answered.
  private static let limit = 256

  mutating func take(_ byte: UInt8) {
    let sign = Unicode.Scalar(byte)
    if isString {
      add(byte)
      if !isEscaped, sign == "\"" { isString = false }
      isEscaped = !isEscaped && sign == "\\"
      return
    }
    switch sign {
    case "{", "[":
      add(byte)
      depth += 1
    case "}", "]":
      endOfMember()
      depth -= 1
    case ",": endOfMember()
    case ":" where depth == 1: (name, part) = (part, [])
    case " ", "\t", "\r": break
    case _:
      isString = sign == "\""
      add(byte)
    }
  }

  private mutating func add(_ byte: UInt8) {
    if depth == 1, part.count <= Self.limit { part.append(byte) }
  }

  private mutating func endOfMember() {
    guard depth == 1 else { return }
    if name == Array("\"id\"".utf8), part.count <= Self.limit, JSON(parsing: part) != nil { found = part }
    (name, part) = ([], [])
  }
}
