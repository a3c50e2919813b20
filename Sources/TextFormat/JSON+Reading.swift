extension JSON {
  /// Reads a JSON text (RFC 8259); nil for anything else.
  ///
  /// It is meant for answers of servers that nobody here controls. A name that is there twice is
  /// refused, because two readers would take different values. So is nesting that is deeper than
  /// `depth`, because each level takes stack.
  package init?(parsing bytes: [UInt8], depth: Int = 32) {
    var reader = JSONReader(bytes: bytes)
    guard let value = reader.value(depth: depth) else { return nil }
    reader.skipSpace()
    guard reader.position == bytes.count else { return nil }
    self = value
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  var position = 0

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B && byte != 0x0C {
      position += 1
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  mutating func value(depth: Int) -> JSON? {
    guard depth > 0 else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map(JSON.string)
    case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
    case _: return number()
    }
  }

  private mutating func object(depth: Int) -> JSON? {
    position += 1
    var members: [JSON.Member] = []
    var names: Set<String> = []
    skipSpace()
    if take("}") { return .object([]) }
    repeat {
      skipSpace()
      guard let name = string(), names.insert(name).inserted else { return nil }
      skipSpace()
      guard take(":"), let value = value(depth: depth - 1) else { return nil }
      members.append(JSON.Member(name: name, value: value))
      skipSpace()
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> JSON? {
    position += 1
    var values: [JSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    repeat {
      guard let value = value(depth: depth - 1) else { return nil }
      values.append(value)
      skipSpace()
    } while take(",")
    return take("]") ? .array(values) : nil
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        text += UTF8.encode(scalar).map(Array.init) ?? []
      case 0x00..<0x20: return nil
      case _: text.append(byte)
      }
    }
    return nil
  }

  /// What follows a backslash; two escapes for a surrogate pair.
  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let unit = unit() else { return nil }
      if !(0xD800..<0xE000).contains(unit) { return Unicode.Scalar(unit) }
      guard unit < 0xDC00, take("\\"), take("u"), let low = self.unit(), (0xDC00..<0xE000).contains(low) else {
        return nil
      }
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    case _: return nil
    }
  }

  /// The four digits of an escape.
  private mutating func unit() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for digit in bytes[position..<(position + 4)] {
      guard let value = Hex.value(of: digit | 0x20) else { return nil }
      unit = unit << 4 | UInt32(value)
    }
    position += 4
    return unit
  }

  private mutating func number() -> JSON? {
    let start = position
    _ = take("-")
    guard take("0") || digits() else { return nil }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard digits() else { return nil }
    }
    if take("e") || take("E") {
      isInteger = false
      _ = take("+") || take("-")
      guard digits() else { return nil }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let value = Int64(text) { return .integer(value) }
    return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
  }

  private mutating func digits() -> Bool {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start
  }
}
