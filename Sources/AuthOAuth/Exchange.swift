import AuthCore
import TextFormat

/// Sends requests, and checks the responses.
struct Exchange: Sendable {
  let send: OAuthTransport

  /// Reads what the server says; nil if the status is `empty`.
  func claims(
    _ method: String, _ url: String, _ headers: [String: String] = [:], _ body: [UInt8] = [], empty: Int? = nil
  ) async throws(OAuthError) -> OAuthClaims? {
    guard SafeURL.accepts(url) else {
      throw .oauth("insecure_address", "An address of the server is not secure.", hint: "Use https.")
    }
    let headers = headers.merging(["Accept": "application/json"]) { $1 }
    let response: OAuthResponse
    do {
      response = try await send(OAuthRequest(method: method, url: url, headers: headers, body: body))
    } catch is CancellationError {
      throw .unavailable(Unavailability(.cancelled, "The request was cancelled."))
    } catch {
      // The message of the transport may contain the request, and so a secret.
      throw .unavailable(Unavailability(.unreachable, "The server cannot be reached."))
    }
    let (status, claims) = (response.status, OAuthClaims(response.body))
    switch status {
    case empty: return nil
    case 200...299: if let claims { return claims }
    case 429:
      let wait = response.header("retry-after").flatMap { Duration(seconds: $0, in: 1...3600) }
      throw .throttled(.wait(wait ?? .seconds(30)))
    case 400...499: if let code = claims?["error"] { throw .refused(code) }
    case 500...599: throw .unavailable(Unavailability(.busy, "The server answered with status \(status)."))
    case _: break
    }
    throw .oauth("unparsable", "The server answered with status \(status), in an unknown form.")
  }
}

extension Duration {
  /// Reads a number of seconds from a server, which may be any number.
  init?(seconds text: String, in range: ClosedRange<Int64>) {
    guard let seconds = Int64(text) else { return nil }
    self = .seconds(min(max(seconds, range.lowerBound), range.upperBound))
  }
}

/// The response of the token endpoint (RFC 6749, section 5.1).
struct TokenAnswer {
  let access: AccessToken
  let refresh: String?
  let claims: OAuthClaims

  /// Nil if it is incomplete, not for a bearer (RFC 6750), or would end a line of a header.
  ///
  /// The lifetime counts from `asked`, when the request was sent.
  init?(_ claims: OAuthClaims?, asked: BootInstant) {
    guard let claims, let access = claims["access_token"], claims["token_type"]?.lowercased() == "bearer",
      access.isVisible, claims["refresh_token"]?.isVisible != false
    else { return nil }
    self.claims = claims
    refresh = claims["refresh_token"]
    let lifetime = claims["expires_in"].flatMap { Duration(seconds: $0, in: 0...(1 << 31)) }
    self.access = AccessToken(access, deadline: lifetime.map { .at(asked.advanced(by: $0)) } ?? .never)
  }
}
