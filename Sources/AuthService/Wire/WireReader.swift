import AuthCore

/// Reads what ``WireWriter`` wrote, and nothing beyond its end.
///
/// It holds passwords and tokens, so it never prints itself.
struct WireReader: Redacted {
  private let bytes: [UInt8]
  private var index = 0
  private let form: TokenForm

  init(_ bytes: [UInt8], for form: TokenForm) {
    self.bytes = bytes
    self.form = form
  }

  /// Refuses bytes that nobody read.
  func end() throws(WireFault) {
    if index != bytes.count { throw .trailing(bytes: bytes.count - index) }
  }

  mutating func byte() throws(WireFault) -> UInt8 {
    guard index < bytes.count else { throw .truncated }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func tag<Tag: RawRepresentable<UInt8>>(_: Tag.Type = Tag.self) throws(WireFault) -> Tag {
    let value = try byte()
    guard let tag = Tag(rawValue: value) else { throw .unknownTag(value, of: "\(Tag.self)") }
    return tag
  }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(WireFault) -> Number {
    let size = Number.bitWidth / 8
    guard bytes.count - index >= size else { throw .truncated }
    defer { index += size }
    return bytes[index..<(index + size)].reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  mutating func flag() throws(WireFault) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    case let other: throw .unknownTag(other, of: "flag")
    }
  }

  mutating func data() throws(WireFault) -> [UInt8] {
    let count = Int(try number(UInt32.self))
    guard bytes.count - index >= count else { throw .truncated }
    defer { index += count }
    return Array(bytes[index..<(index + count)])
  }

  mutating func text() throws(WireFault) -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else { throw .notText }
    return text
  }

  mutating func word<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws(WireFault) -> Word {
    guard let word = Word(rawValue: try text()) else { throw .invalid("\(Word.self)") }
    return word
  }

  mutating func token() throws(WireFault) -> SessionToken { form.joined(try data()) }

  /// A list; nothing is reserved for the count that it claims.
  mutating func list<Value>(
    _ read: (inout WireReader) throws(WireFault) -> Value
  ) throws(WireFault) -> [Value] {
    var values: [Value] = []
    for _ in 0..<(try number(UInt32.self)) { values.append(try read(&self)) }
    return values
  }
}
