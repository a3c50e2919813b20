/// Base64 for URLs and headers, without padding (RFC 4648, section 5).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Reads the text of bytes; nil for other text.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (pool, bits) = (UInt32(0), 0)
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      (pool, bits) = (pool << 6 | UInt32(value), bits + 6)
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: pool >> bits))
    }
    return bytes
  }

  /// The text in the alphabet of other places, with padding (RFC 4648, section 4).
  package static func padded(_ bytes: [UInt8]) -> String {
    let text = text(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }

  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (pool, bits) = (UInt32(0), 0)
    for byte in bytes {
      (pool, bits) = (pool << 8 | UInt32(byte), bits + 8)
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(pool >> bits & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(pool << (6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
