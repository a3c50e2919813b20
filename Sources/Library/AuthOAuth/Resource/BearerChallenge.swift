import TextFormat

/// What a server demands of a request in the header WWW-Authenticate, with the scheme `Bearer`
/// (RFC 6750, section 3; RFC 9728, section 5.1).
package struct BearerChallenge: Hashable, Sendable {
  private let parameters: [String: String]

  /// Reads the first challenge of the scheme; nil if there is none, or it cannot be read.
  ///
  /// - Parameter header: The value of the header; several headers are joined with commas.
  package init?(_ header: String) {
    var scanner = ChallengeScanner(header)
    while let (scheme, parameters) = scanner.next() {
      guard scheme == "bearer" else { continue }
      self.parameters = parameters
      return
    }
    return nil
  }

  /// The value of a parameter, whose name is in lower case.
  package subscript(name: String) -> String? { parameters[name] }
}

/// Reads the challenges of a header, each byte once (RFC 9110, sections 5.6 and 11).
private struct ChallengeScanner {
  private var rest: ArraySlice<UInt8>

  init(_ header: String) { rest = Array(header.utf8)[...] }

  /// The next challenge: its scheme and the names of its parameters are in lower case.
  ///
  /// - Returns: Nil at the end, and at a challenge that is not well formed: nothing after it can be
  ///   told apart.
  mutating func next() -> (scheme: String, parameters: [String: String])? {
    skip(" \t,")
    guard let scheme = token()?.lowercased() else { return nil }
    var parameters: [String: String] = [:]
    let isAlone = rest.first.map { !Self.isBlank($0) } ?? true
    skip(" \t")
    if isAlone { return isAtSeparator ? (scheme, parameters) : nil }
    if skipToken68() { return (scheme, parameters) }
    while true {
      let start = rest
      guard let name = token()?.lowercased(), take("=") else {
        // The name is the scheme of the next challenge.
        rest = start
        return (scheme, parameters)
      }
      guard let value = rest.first == UInt8(ascii: "\"") ? quoted() : token() else { return nil }
      skip(" \t")
      guard isAtSeparator, parameters.updateValue(value, forKey: name) == nil else { return nil }
      skip(" \t,")
    }
  }

  private var isAtSeparator: Bool { rest.isEmpty || rest.first == UInt8(ascii: ",") }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private mutating func skip(_ bytes: String) { rest = rest.drop { bytes.utf8.contains($0) } }

  /// Skips a character, with the blanks around it.
  private mutating func take(_ character: Character) -> Bool {
    skip(" \t")
    guard rest.first == character.asciiValue else { return false }
    rest.removeFirst()
    skip(" \t")
    return true
  }

  private mutating func token() -> String? {
    let token = rest.prefix { CurlOutput.isOfToken($0) }
    rest = rest.dropFirst(token.count)
    return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
  }

  /// Skips credentials in place of parameters; false if there are none.
  private mutating func skipToken68() -> Bool {
    let start = rest
    let text = rest.prefix { $0.isASCIIAlphanumeric || "-._~+/".utf8.contains($0) }
    rest = rest.dropFirst(text.count).drop { $0 == UInt8(ascii: "=") }
    skip(" \t")
    if !text.isEmpty, isAtSeparator { return true }
    rest = start
    return false
  }

  private mutating func quoted() -> String? {
    var text: [UInt8] = []
    rest.removeFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst(), Self.isOfText(escaped) else { return nil }
        text.append(escaped)
      case _:
        guard Self.isOfText(byte) else { return nil }
        text.append(byte)
      }
    }
    return nil
  }

  private static func isOfText(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }
}
