import TextFormat

/// A JSON-RPC message of the client; it decodes only what the transport needs.
struct BridgeMessage {
  /// The message as it is sent, without line ends.
  let text: [UInt8]
  let members: JSONText
  let method: String?
  /// The id of a request as JSON; nil for a notification, or a response of the client.
  let id: JSON?
  /// The revision of the protocol that the message itself names, since 2026-07-28.
  let revision: String?

  /// Nil if the line is not a JSON object.
  init?(_ line: [UInt8]) {
    guard let members = JSONText(line), members.isObject else { return nil }
    let values = Dictionary(members.members.map { ($0.name, $0.value) }) { $1 }
    text = line
    self.members = members
    method = values["method"]?.string
    id = method == nil ? nil : values["id"]?.value.flatMap { $0 == .null ? nil : $0 }
    revision = values["params"]?["_meta", "io.modelcontextprotocol/protocolVersion"]?.string
  }

  /// The request that this cancels.
  var cancelled: JSON? { method == "notifications/cancelled" ? members["params", "requestId"]?.value : nil }

  /// What the request is about, in the header Mcp-Name.
  var subject: String? {
    switch method {
    case "tools/call", "prompts/get": members["params", "name"]?.string
    case "resources/read": members["params", "uri"]?.string
    case _: nil
    }
  }
}

/// A message of the server.
struct ServerMessage {
  /// The message on one line.
  let line: [UInt8]
  let members: JSONText
  /// The request that it answers; nil for a request or a notification of the server.
  let id: JSON?

  /// Nil if the bytes are not a JSON object.
  init?(_ bytes: [UInt8]) {
    // A line break can only be between the parts of a JSON text.
    let line =
      bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) ? bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } : bytes
    guard let members = JSONText(line), members.isObject else { return nil }
    self.init(line: Array(members.bytes), members: members)
  }

  private init(line: [UInt8], members: JSONText) {
    (self.line, self.members) = (line, members)
    let values = Dictionary(members.members.map { ($0.name, $0.value) }) { $1 }
    id = values["method"] == nil && (values["result"] != nil || values["error"] != nil) ? values["id"]?.value : nil
  }

  /// The code of an error.
  var errorCode: JSON? { members["error", "code"]?.value }
}
