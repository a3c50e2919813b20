import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// What follows from the end of a request.
enum BridgeDecision {
  case done
  /// The request is sent again, after a pause.
  case again(BridgeRequest, after: Duration?)
  /// The client gets the error of the server.
  case refusedByServer([UInt8])
  /// The client gets an error of this program.
  case refused(CommandError)

  /// How often the rest of an answer is asked for, without an event since, and with how many tokens
  /// of other processes a request is repeated.
  private static let mostAttempts = 5

  /// `hasOtherToken` says whether the login has another token now than that of the request: if
  /// another process has renewed meanwhile, some servers refuse the token before.
  init(
    _ exchange: BridgeExchange, _ failure: CurlFailure?, at url: String,
    hasOtherToken: @autoclosure () -> Bool = false
  ) {
    let (request, response) = (exchange.request, exchange.response)
    if exchange.isAnswered {
      self = .done
      return
    }
    var next = request
    if response.status == 401, request.kind != .end,
      request.refused == nil || request.attempts < Self.mostAttempts && hasOtherToken()
    {
      if request.refused != nil { next.attempts += 1 }
      next.refused = exchange.token
      self = .again(next, after: nil)
      return
    }
    switch request.kind {
    case .end: self = .done
    case .stream(let session, let event):
      // Without the stream, all else works. The next request says what is wrong.
      guard response.status.map({ $0 == 200 && response.isStream || $0 == 429 || $0 >= 500 }) ?? true else {
        self = .done
        return
      }
      next.kind = .stream(of: session, after: response.lastEvent ?? event)
      next.refused = nil
      next.attempts = exchange.age > .seconds(10) ? 0 : min(request.attempts + 1, 6)
      self = .again(next, after: response.pause ?? .seconds(1 << next.attempts))
    case .message, .resumption, .tools:
      self = Self.ofMessage(exchange, failure, at: url)
    }
  }

  private static func ofMessage(_ exchange: BridgeExchange, _ failure: CurlFailure?, at url: String) -> BridgeDecision {
    let (request, response, host) = (exchange.request, exchange.response, url.host.escaped)
    guard let message = request.message else { return .done }
    func silent(_ reason: String) -> BridgeDecision { .refused(CommandError(code: .mcpNoAnswer, host, reason)) }
    switch exchange.problem {
    case .tooLong: return silent("its answer is longer than \(Bridge.longest >> 20) MiB")
    case .notHTTP: return silent("its answer is not HTTP")
    case nil: break
    }
    guard let status = response.status else { return .refused(CommandError(failure ?? .interrupted, at: url)) }
    switch status {
    case 401: return .refused(CommandError(code: .mcpAccessRefused, host))
    case 403:
      guard let scopes = response.requiredScopes else { break }
      let unnamed: Hint = "Ask the server's administrators for its scopes, and log in with --scope."
      let hint = scopes.isEmpty ? unnamed : nil
      return .refused(
        CommandError(
          code: .mcpAccessTooSmall, host, scopes.isEmpty ? "it names no scope" : scopes, scopes, hint: hint))
    case 404 where exchange.session != nil: return .refused(CommandError(code: .mcpSessionEnded, host))
    case 300...399:
      let location = response.headers["location"].flatMap { $0.isSafeURL && $0.utf8.count <= 200 ? $0 : nil }
      let hint: Hint = "Check the address in the settings of the MCP client: a redirect is not followed."
      return .refused(
        CommandError(code: .mcpNoAnswer, host, "it redirects to \(location ?? "another address")", hint: hint))
    case 200...299:
      if message.id == nil { return .done }
      guard response.isStream, let event = response.lastEvent, message.revision == nil else { break }
      // The server may end the connection before the answer, which is then read from another one.
      var next = request
      next.attempts = request.kind == .resumption(after: event) ? request.attempts + 1 : 0
      if next.attempts >= mostAttempts { break }
      next.kind = .resumption(after: event)
      next.refused = nil
      return .again(next, after: response.pause ?? .seconds(1))
    case _: break
    }
    if let refusal = exchange.refusal, let error = refusal.members["error"], error.isObject, let id = message.id {
      if refusal.errorCode == .integer(-32020), message.method == "tools/call", !request.hasListedTools {
        var next = request
        (next.kind, next.hasListedTools, next.attempts) = (.tools(page: nil), true, 0)
        return .again(next, after: nil)
      }
      return .refusedByServer(
        Array(#"{"jsonrpc":"2.0","id":\#(id.text),"error":"#.utf8) + error.bytes + Array("}".utf8))
    }
    if (200...299).contains(status) {
      return .refused(CommandError(failure ?? .failed(18), at: url))
    }
    return silent("status \(status)")
  }
}

extension CommandError {
  /// The error for a request that curl could not finish.
  init(_ failure: CurlFailure, at url: String) {
    let words = failure.words(about: url.host.escaped)
    self.init(code: .mcpUnreachable, saying: words.description, hint: Hint(words.hint))
  }
}
