public import AuthCore
import TextFormat

/// An HTTP request to the server.
///
/// It never prints its content: the body and the headers hold secrets.
public struct OAuthRequest: Hashable, Sendable, Redacted {
  /// `GET` or `POST`.
  public let method: String
  /// The address, `https` or on this machine.
  public let url: String
  /// The headers, by their names.
  public let headers: [String: String]
  /// The body; empty for `GET`.
  public let body: [UInt8]
  /// Where to record the answer; a transport that runs no other program ignores it.
  public var recorder: ExchangeRecorder?
  /// Whether it ends or exchanges the token of a session, and so must be finished.
  package var changesSession = false

  /// The method and the address, without a query.
  public var description: String { "\(method) \(url.prefix { $0 != "?" })" }
}

/// Sends a request and returns the response, whatever its status; throws if there is none.
///
/// It must not follow redirects: a response with status 307 would make it send the refresh token to
/// another server (RFC 9700, section 4.12). It must check the server's certificate, and should
/// limit the time and the size of a response. The names of the headers are not case-sensitive. Do
/// not print the body: it holds tokens.
public typealias OAuthTransport = @Sendable (OAuthRequest) async throws -> OAuthResponse

/// A response: its status, its headers by their names, and its body.
public typealias OAuthResponse = (status: Int, headers: [String: String], body: [UInt8])

extension OAuthServer {
  /// Posts the form, or gets the address if there is none, and returns the members of the response;
  /// none if its status is `empty`.
  ///
  /// The `resources` are the one parameter that may be repeated (RFC 8707, section 2). The header
  /// `authorization` has an access token (`Bearer`) or the client's secret (`Basic`).
  func request(
    _ url: String, form: [String: String?]? = nil, resources: [String] = [], changesSession: Bool = false,
    authorization: String? = nil,
    empty: Int? = nil,
    recorder: ExchangeRecorder? = nil
  ) async throws(OAuthError) -> OAuthClaims {
    guard url.isSafeURL else { throw .misconfigured("An address of the server is not secure.") }
    let type = form.map { _ in "application/x-www-form-urlencoded" }
    let sent = ["Accept": "application/json", "Content-Type": type, "Authorization": authorization]
    var request = OAuthRequest(
      method: form == nil ? "GET" : "POST", url: url, headers: sent.compactMapValues(\.self),
      body: Array((form.map { Form.text($0, resources: resources) } ?? "").utf8))
    request.recorder = recorder
    request.changesSession = changesSession
    let response = try await response(to: request)
    if response.status == 401, let scheme = authorization?.prefix(while: { $0 != " " }) {
      let challenge = response.headers.first { $0.key.lowercased() == "www-authenticate" }?.value ?? ""
      let code = OAuthClaims(response.body)?["error"]
      // RFC 6750, section 3.1. A proxy or an application may refuse with any other text.
      if scheme == "Bearer",
        code == "invalid_token" || challenge.contains(/(?i)^\s*Bearer\b.*\berror="?invalid_token\b/)
      {
        throw .refused("invalid_token")
      }
      // The client was refused, and not a token (RFC 6749, section 5.2).
      if scheme == "Basic", code == nil, challenge.contains(/(?i)^\s*Basic\b/) { throw .refused("invalid_client") }
    }
    let names = [
      "client_assertion", "client_secret", "code", "code_verifier", "device_code", "refresh_token", "token",
    ]
    var secrets = names.compactMap { form?[$0] ?? nil }
    if let credential = authorization?.split(separator: " ").last { secrets.append(String(credential)) }
    return try Self.claims(
      of: response, from: url.host, empty: empty, toRefresh: form?["grant_type"] == "refresh_token", hiding: secrets)
  }

  /// Sends a request and returns the response, whatever its status.
  func response(to request: OAuthRequest) async throws(OAuthError) -> OAuthResponse {
    do { return try await send(request) } catch {
      if Task.isCancelled { throw .unavailable(Unavailability(.cancelled, "The request was cancelled.")) }
      // The message of another transport may contain the request, and so a secret.
      let (failure, host) = (error as? CurlFailure, request.url.host)
      let words = failure?.words(about: host)
      throw .unavailable(
        Unavailability(
          .unreachable, words?.description ?? "The server \(host) cannot be reached.",
          hint: words?.hint ?? "Try again later.", isUnsent: failure?.isUnsent ?? false,
          isUnderWay: failure == .underWay))
    }
  }

  /// The members of a response from `host`; none if its status is `empty`.
  static func claims(
    of response: OAuthResponse, from host: String, empty: Int? = nil, toRefresh: Bool, hiding secrets: [String] = []
  ) throws(OAuthError) -> OAuthClaims {
    let (status, headers, body) = response
    let claims = OAuthClaims(body)
    switch status {
    case empty: return OAuthClaims(members: [:])
    case 200...299:
      // GitHub refuses with status 200. Here `invalid_grant` does not end the session: that needs
      // status 400 to 499.
      if let claims, let code = claims["error"], code != "invalid_grant" {
        throw .refused(code, OAuthError.words(claims, from: host, hiding: secrets))
      }
      if let claims, claims["error"] == nil { return claims }
    case 429:
      throw .throttled(.wait(retryAfter(headers) ?? .seconds(30)))
    // Glewlwyd refuses a refresh token in this way; but so does a proxy.
    case 400 where body.isEmpty && toRefresh:
      throw .unavailable(
        Unavailability(
          .refused, "The server \(host) refused, and gave no reason.", hint: "Try again in a minute.",
          code: "oauth_no_reason"))
    case 300...399:
      let target = headers.first { $0.key.lowercased() == "location" }.map { String($0.value.prefix { $0 != "?" }) }
      let place = target.flatMap { $0.isSafeURL ? " to \($0)" : nil } ?? ""
      throw .oauth(
        "unparsable", "The server \(host) redirects the request\(place), which is not followed.",
        hint: "Check the address: it must be the one that the server has in its settings.")
    case 400...499:
      if let claims, let code = claims["error"] {
        throw .refused(code, OAuthError.words(claims, from: host, hiding: secrets))
      }
    case 500...599:
      // A proxy that lost the answer says so too; the server may have exchanged a token.
      throw .unavailable(
        Unavailability(
          .busy, "The server \(host) answered with status \(status).", hint: "Try again later.",
          retryAfter: retryAfter(headers)))
    case _: break
    }
    throw .unusable("The server \(host) answered with status \(status), in an unknown form.")
  }

  /// How long a response asks to wait, within reason (RFC 9110, section 10.2.3); nil if it does
  /// not.
  private static func retryAfter(_ headers: [String: String]) -> Duration? {
    func value(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value }
    guard let wait = value("retry-after") else { return nil }
    let range: ClosedRange<Int64> = 1...3600
    if let seconds = wait.seconds(in: range) { return seconds }
    guard let end = UTCTime(http: wait) else { return nil }
    // The clock of the server counts, if it tells the time.
    let now = value("date").flatMap(UTCTime.init(http:)) ?? .now
    return .seconds(min(max(end.seconds - now.seconds, range.lowerBound), range.upperBound))
  }
}

extension String {
  /// Whether it may get a secret or be shown to a user: an `https` address, or an `http` address of
  /// this machine.
  ///
  /// It contains nothing that ends a line, hides the host behind a user name, or is read
  /// differently by another parser (RFC 3986, section 7).
  package var isSafeURL: Bool {
    let address =
      #/
      ( https:// ( \[ [0-9a-f:.]+ \] | [a-z0-9.\-]+ ) | http:// ( 127\.0\.0\.1 | \[::1\] | localhost ) )
      ( : [0-9]+ )?
      ( [/?] [^"\#<>\\^`{|}]* )?
      /#
    return isVisible && wholeMatch(of: address.ignoresCase()) != nil
  }

  /// Whether it can name an issuer: a safe address without a query (RFC 8414, section 2).
  package var isIssuer: Bool { isSafeURL && !contains("?") }

  /// The host of an address, and its port: never the query, which may contain a secret.
  package var host: String {
    split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first.map { String($0.prefix { $0 != "?" }) }
      ?? self
  }

  /// Whether it has only visible ASCII characters: nothing that ends a line or acts on a terminal.
  var isVisible: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// A number of seconds from a server, without its fraction and limited to the range; nil for a
  /// number that is larger than every integer.
  ///
  /// Less than a second counts as one, because zero has another meaning.
  func seconds(in range: ClosedRange<Int64>) -> Duration? {
    let number = Double(self) ?? .nan
    return (Int64(self) ?? Int64(exactly: number.rounded(number < 1 ? .up : .down)))
      .map { .seconds(min(max($0, range.lowerBound), range.upperBound)) }
  }
}
