/// Parameters of HTTP: `application/x-www-form-urlencoded` (WHATWG URL, section 5), and the query
/// of an address.
package enum Form {
  /// The parameters in the order of their names, without those that are nil.
  ///
  /// Everything that is not plain is escaped, so that no value can add a parameter or end a line.
  package static func text(_ fields: [String: String?]) -> String {
    fields.sorted { $0.key < $1.key }
      .compactMap { name, value in value.map { "\(escaped(name))=\(escaped($0))" } }
      .joined(separator: "&")
  }

  /// The same, with a parameter `resource` for each of these addresses (RFC 8707, section 2).
  package static func text(_ fields: [String: String?], resources: [String]) -> String {
    resources.reduce(into: text(fields)) { $0 += ($0.isEmpty ? "" : "&") + "resource=\(escaped($1))" }
  }

  /// Reads parameters; nil when one is there twice, or is not readable.
  package static func fields(_ text: some StringProtocol) -> [String: String]? { fields(Array(text.utf8)) }

  /// The same, of bytes, which need no look at characters.
  package static func fields(_ bytes: [UInt8]) -> [String: String]? {
    var fields: [String: String] = [:]
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
      if start < end {
        let equals = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
        guard let name = plain(bytes[start..<equals]), let value = plain(bytes[min(equals + 1, end)..<end]),
          fields.updateValue(value, forKey: name) == nil
        else { return nil }
      }
      start = end + 1
    }
    return fields
  }

  /// A name or a value with everything escaped that is not plain.
  package static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain = byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
      return isPlain ? String(Unicode.Scalar(byte)) : "%" + Hex.text([byte]).uppercased()
    }.joined()
  }

  private static func plain(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index + 2 < text.endIndex, let value = Hex.bytes(inAnyCase: Array(text[index + 1...index + 2])) else {
          return nil
        }
        bytes += value
        index += 2
      case let byte: bytes.append(byte)
      }
      index += 1
    }
    return String(received: bytes)
  }
}
