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

  /// Reads a value, and refuses bytes after it.
  static func whole<Value: WireValue>(_ bytes: [UInt8], for form: TokenForm) throws(WireFault) -> Value {
    var reader = WireReader(bytes, for: form)
    let value = try reader.take(Value.self)
    if reader.index != bytes.count { throw .trailing(bytes: bytes.count - reader.index) }
    return value
  }

  /// Reads a value.
  mutating func take<Value: WireValue>(_: Value.Type = Value.self) throws(WireFault) -> Value {
    try Value.read(from: &self)
  }

  /// Reads several values and returns the one that `make` builds from them.
  ///
  /// - Throws: ``WireFault`` with `name` if `make` returns nil.
  mutating func take<each Value: WireValue, Result>(
    called name: String, _ make: (repeat each Value) -> Result?
  ) throws(WireFault) -> Result {
    guard let result = make(repeat try (each Value).read(from: &self)) else { throw .invalid(name) }
    return result
  }

  mutating func byte() throws(WireFault) -> UInt8 {
    guard index < bytes.count else { throw .truncated }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func bytes(_ count: Int) throws(WireFault) -> ArraySlice<UInt8> {
    guard bytes.count - index >= count else { throw .truncated }
    defer { index += count }
    return bytes[index..<(index + count)]
  }

  mutating func data() throws(WireFault) -> [UInt8] { Array(try bytes(Int(try take(UInt32.self)))) }

  mutating func token() throws(WireFault) -> SessionToken { form.joined(try data()) }
}
