/// What the client and the server of MCP agreed on, from which follows what a request sends.
struct BridgeSession {
  /// Until 2025-11-25: the session at the server.
  var id: String?
  /// The revision of MCP to which the server agreed.
  private(set) var revision: String?
  var parameters = MirroredParameters()

  /// Adopts the answer to `initialize`.
  mutating func begin(with answer: ServerMessage, _ headers: [String: String]) {
    guard let revision = answer.members["result", "protocolVersion"]?.string else { return }
    self.revision = revision
    id = headers["mcp-session-id"].flatMap { BridgeHeaders.isSession($0) ? $0 : nil }
  }

  /// A request in HTTP, without its token; nil if there is nothing to send any more.
  func http(for request: BridgeRequest) -> (method: String, headers: [String: String], body: [UInt8]?)? {
    switch request.kind {
    case .message:
      guard let message = request.message else { return nil }
      let mirrored = parameters.headers(of: message)
      return ("POST", BridgeHeaders.of(message, agreed: revision, session: id, parameters: mirrored), message.text)
    case .tools(let page):
      guard let list = request.message?.listOfTools(from: page) else { return nil }
      return ("POST", BridgeHeaders.of(list, agreed: revision, session: id), list.text)
    // The client may have begun another session.
    case .stream(let own, _) where own != id: return nil
    case .resumption(let event): return ("GET", BridgeHeaders.ofSession(id, agreed: revision, after: event), nil)
    case .stream(_, let event): return ("GET", BridgeHeaders.ofSession(id, agreed: revision, after: event), nil)
    case .end: return ("DELETE", BridgeHeaders.ofSession(id, agreed: revision), nil)
    }
  }
}
