import TextFormat

/// The headers of a request of Streamable HTTP, without that of the token.
enum BridgeHeaders {
  /// The headers of a message to the server.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - agreed: The revision to which the server agreed in `initialize`, until 2025-11-25.
  ///   - session: The session at the server, until 2025-11-25.
  ///   - parameters: The mirrored parameters of a call.
  /// - Returns: The headers by their names.
  static func of(
    _ message: BridgeMessage, agreed: String?, session: String?, parameters: [String: String] = [:]
  ) -> [String: String] {
    var headers = [
      "Accept": "application/json, text/event-stream", "Content-Type": "application/json",
    ]
    guard let revision = message.revision else {
      // The answer to this one begins a session, and says the revision.
      if message.method == "initialize" { return headers }
      headers["MCP-Protocol-Version"] = agreed.flatMap(plain)
      headers["Mcp-Session-Id"] = session
      return headers
    }
    headers["MCP-Protocol-Version"] = plain(revision)
    headers["Mcp-Method"] = message.method.flatMap(plain)
    headers["Mcp-Name"] = message.subject.map(encoded)
    return headers.merging(parameters) { own, _ in own }
  }

  /// The headers of a request for the stream of a session, from the event with an id on; and with
  /// `method` DELETE of its end.
  static func ofSession(_ session: String?, agreed: String?, after event: String? = nil) -> [String: String] {
    var headers = ["Accept": "text/event-stream"]
    headers["MCP-Protocol-Version"] = agreed.flatMap(plain)
    headers["Mcp-Session-Id"] = session
    headers["Last-Event-ID"] = event
    return headers
  }

  /// A value that may be text of any kind, as the specification encodes it ("Value Encoding").
  static func encoded(_ text: String) -> String {
    let looksEncoded = text.hasPrefix("=?base64?") && text.hasSuffix("?=")
    if !looksEncoded, let plain = plain(text) { return plain }
    return "=?base64?\(Base64URL.padded(Array(text.utf8)))?="
  }

  /// The text if it can be the value of a header as it is (RFC 9110, section 5.5).
  private static func plain(_ text: String) -> String? {
    let bytes = text.utf8
    let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) } && bytes.first != 0x20 && bytes.last != 0x20
    return isPlain && !bytes.isEmpty ? text : nil
  }

  /// Whether a name of a session can go back in a header.
  static func isSession(_ text: String) -> Bool {
    (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
