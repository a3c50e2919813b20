extension JSON {
  /// Reads a JSON text (RFC 8259); nil for anything else.
  ///
  /// It is meant for answers of servers that nobody here controls. A name that is there twice is
  /// refused, because two readers would take different values. So is nesting that is deeper than
  /// `depth`, because each level takes stack.
  package init?(parsing bytes: [UInt8], depth: Int = 32) {
    var reader = JSONReader(rest: bytes[...])
    do throws(NotJSON) {
      self = try reader.value(depth: depth)
      guard reader.next() == nil else { return nil }
    } catch {
      return nil
    }
  }
}

private struct NotJSON: Error {}

private func require(_ condition: Bool) throws(NotJSON) {
  if !condition { throw NotJSON() }
}

private struct JSONReader {
  var rest: ArraySlice<UInt8>

  /// Skips blanks, and returns the next byte without taking it.
  mutating func next() -> Unicode.Scalar? {
    rest = rest.drop { " \t\n\r".utf8.contains($0) }
    return rest.first.map { Unicode.Scalar($0) }
  }

  /// Takes the text if it is next, without blanks before it.
  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Takes the sign if it is next, with the blanks before it.
  private mutating func take(sign: String) -> Bool { next() != nil && take(sign) }

  mutating func value(depth: Int) throws(NotJSON) -> JSON {
    try require(depth > 0)
    switch next() {
    case "{":
      var members: [JSON.Member] = []
      var names: Set<String> = []
      try list(until: "}") { (reader) throws(NotJSON) in
        let name = try reader.string()
        try require(names.insert(name).inserted && reader.take(sign: ":"))
        members.append(JSON.Member(name: name, value: try reader.value(depth: depth - 1)))
      }
      return .object(members)
    case "[":
      var values: [JSON] = []
      try list(until: "]") { (reader) throws(NotJSON) in values.append(try reader.value(depth: depth - 1)) }
      return .array(values)
    case "\"": return .string(try string())
    case _:
      if take("null") { return .null }
      if take("true") { return .bool(true) }
      return take("false") ? .bool(false) : try number()
    }
  }

  private mutating func list(
    until end: String, element: (inout JSONReader) throws(NotJSON) -> Void
  ) throws(NotJSON) {
    rest.removeFirst()
    if take(sign: end) { return }
    repeat { try element(&self) } while take(sign: ",")
    try require(take(sign: end))
  }

  private mutating func string() throws(NotJSON) -> String {
    try require(take(sign: "\""))
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      switch Unicode.Scalar(byte) {
      case "\"":
        guard let text = String(received: text) else { throw NotJSON() }
        return text
      case "\\": text += try escaped().utf8
      case "\0"..<" ": throw NotJSON()
      case _: text.append(byte)
      }
    }
    throw NotJSON()
  }

  private static let escapes: [Unicode.Scalar: String] = [
    "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
  ]

  /// What follows a backslash; two escapes for a surrogate pair.
  private mutating func escaped() throws(NotJSON) -> String {
    let sign = rest.popFirst().map { Unicode.Scalar($0) } ?? "\0"
    var text = Self.escapes[sign]
    if sign == "u" {
      var units = [try unit()]
      if UTF16.isLeadSurrogate(units[0]), take("\\u") { units.append(try unit()) }
      text = String(validating: units, as: UTF16.self)
    }
    guard let text else { throw NotJSON() }
    return text
  }

  /// The four digits of an escape.
  private mutating func unit() throws(NotJSON) -> UInt16 {
    let bytes = Hex.bytes(inAnyCase: Array(rest.prefix(4))) ?? []
    try require(bytes.count == 2)
    rest = rest.dropFirst(4)
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  private mutating func number() throws(NotJSON) -> JSON {
    let start = rest
    _ = take("-")
    try require(take("0") || takeDigits())
    let isFraction = take(".")
    if isFraction { try require(takeDigits()) }
    let isPower = take("e") || take("E")
    if isPower {
      _ = take("+") || take("-")
      try require(takeDigits())
    }
    let text = String(decoding: start[..<rest.startIndex], as: UTF8.self)
    if !isFraction, !isPower, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw NotJSON() }
    return .number(value)
  }

  private mutating func takeDigits() -> Bool {
    let digits = rest.prefix(while: \.isASCIIDigit)
    rest = rest.dropFirst(digits.count)
    return !digits.isEmpty
  }
}
