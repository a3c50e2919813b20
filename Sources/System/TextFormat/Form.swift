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
  package static func fields(_ text: some StringProtocol) -> [String: String]? {
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = plain(parts[0]), let value = plain(parts.count == 2 ? parts[1] : ""),
        fields.updateValue(value, forKey: name) == nil
      else { return nil }
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

  private static func plain(_ text: some StringProtocol) -> String? {
    let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    let parts = spaced.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var bytes = Array(parts[0])
    for part in parts.dropFirst() {
      guard let value = Hex.bytes(inAnyCase: Array(part.prefix(2))), !value.isEmpty else { return nil }
      bytes += value + part.dropFirst(2)
    }
    return String(received: bytes)
  }
}
