import AuthCore
import AuthOAuth
import TextFormat

/// A request that the bridge sends: a message of the client, or one of its own.
struct BridgeRequest {
  enum Kind: Equatable {
    /// Sends a message of the client.
    case message
    /// Reads the rest of the answer to a message, after the event with this id.
    case resumption(after: String)
    /// Opens the stream of a session, after the event with this id.
    case stream(of: String, after: String?)
    /// Lists the tools again, from a page on, because the server says that a call lacks headers.
    case tools(page: String?)
    /// Ends the MCP session at the server.
    case end
  }

  var kind: Kind
  /// The message of the client; nil for the session's own requests.
  var message: BridgeMessage?
  /// The token with which the server has refused this request.
  var refused: AccessToken?
  /// How often it was tried without a new event.
  var attempts = 0
  /// Whether the tools were listed again for it.
  var hasListedTools = false

  /// What is requested, in the list of requests.
  var shown: String {
    switch kind {
    case .message: "POST \((message?.method ?? "response").escaped)"
    case .tools: "POST tools/list"
    case .resumption, .stream: "GET"
    case .end: "DELETE"
    }
  }

  /// Whether later messages wait for its end: a server may need a notification before them, and
  /// they need the session that begins.
  var isBarrier: Bool { kind == .message && (message?.id == nil || message?.method == "initialize") }
}

/// A request that runs.
final class BridgeExchange {
  let request: BridgeRequest
  let token: AccessToken
  let stream: CurlStream
  /// The session that the request named.
  let session: String?
  var response: ResponseReader
  /// Whether the client has the answer.
  var isAnswered = false
  /// The message with which the server refused the request.
  var refusal: ServerMessage?
  var problem: ResponseReader.Problem?
  private let began = ContinuousClock.now

  init(_ request: BridgeRequest, _ token: AccessToken, _ stream: CurlStream, session: String?, limit: Int) {
    (self.request, self.token, self.stream, self.session) = (request, token, stream, session)
    response = ResponseReader(limit: limit)
  }

  /// How long it has run.
  var age: Duration { .now - began }
}

extension BridgeMessage {
  /// A request for a page of the tools, in the name of the client that sent this message.
  func listOfTools(from page: String?) -> BridgeMessage? {
    let meta = members["params", "_meta"].map { String(decoding: $0.bytes, as: UTF8.self) } ?? "{}"
    let cursor = page.map { #""cursor":\#(JSON.string($0).text),"# } ?? ""
    let text = #"{"jsonrpc":"2.0","id":"auth-cli","method":"tools/list","params":{\#(cursor)"_meta":\#(meta)}}"#
    return BridgeMessage(Array(text.utf8))
  }
}
