import AuthCore

/// Reads what ``WireWriter`` wrote, and nothing beyond its end.
///
/// It holds passwords and tokens, so it never prints itself.
package struct WireReader: Redacted {
  /// The bytes that are not read yet.
  private var bytes: ArraySlice<UInt8>
  private let form: TokenForm

  package init(_ bytes: [UInt8], for form: TokenForm) {
    self.bytes = bytes[...]
    self.form = form
  }

  /// Reads a value from all the bytes, and throws if bytes are left.
  package static func whole<Value: WireValue>(_ bytes: [UInt8], for form: TokenForm) throws(WireFault) -> Value {
    var reader = WireReader(bytes, for: form)
    let value = try reader.take(Value.self)
    try reader.end()
    return value
  }

  /// Throws if bytes are left.
  func end() throws(WireFault) {
    if !bytes.isEmpty { throw .trailing(bytes: bytes.count) }
  }

  mutating func rest() -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }

  /// Reads a value of a type.
  package mutating func take<Value: WireValue>(_: Value.Type = Value.self) throws(WireFault) -> Value {
    try Value.read(from: &self)
  }

  /// Reads several values and returns the one that `make` builds from them.
  ///
  /// - Throws: ``WireFault`` with `name` if `make` returns nil.
  package mutating func take<each Value: WireValue, Result>(
    called name: String, _ make: (repeat each Value) -> Result?
  ) throws(WireFault) -> Result {
    guard let result = make(repeat try (each Value).read(from: &self)) else { throw .invalid(name) }
    return result
  }

  mutating func byte() throws(WireFault) -> UInt8 {
    guard let byte = bytes.popFirst() else { throw .truncated }
    return byte
  }

  mutating func bytes(_ count: Int) throws(WireFault) -> ArraySlice<UInt8> {
    guard bytes.count >= count else { throw .truncated }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func data() throws(WireFault) -> [UInt8] { Array(try bytes(Int(try take(UInt32.self)))) }

  /// Reads one of the words of the protocol, which are ASCII; nil for other text.
  ///
  /// Swift sorts the combining marks of other text before it compares it, and the time for that
  /// grows with the square of their number: seconds for one frame, on a thread that reads sockets.
  mutating func word() throws(WireFault) -> String? {
    let text = try take(String.self)
    return text.utf8.allSatisfy { $0 < 0x80 } ? text : nil
  }

  /// Reads a token; in the service it has 32 bytes, because a shorter one could be guessed.
  mutating func token() throws(WireFault) -> SessionToken {
    let secret = try data()
    guard secret.count == TokenForm.secretLength || !form.database.isEmpty else { throw .invalid("session token") }
    return form.joined(secret)
  }
}
