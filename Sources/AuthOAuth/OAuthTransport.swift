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

  /// The method and the address, without a query.
  public var description: String { "\(method) \(url.prefix { $0 != "?" })" }
}

/// The server's response to an ``OAuthRequest``.
///
/// It never prints its content: the body holds tokens.
public struct OAuthResponse: Hashable, Sendable, Redacted {
  /// The HTTP status.
  public let status: Int
  /// The headers; their names are not case-sensitive.
  public let headers: [String: String]
  /// The body.
  public let body: [UInt8]

  /// Creates a response.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The status and the size of the body.
  public var description: String { "status \(status), \(body.count) bytes" }
}

/// Sends a request and returns the response, whatever its status; throws if there is none.
///
/// It must not follow redirects: a response with status 307 would make it send the refresh token to
/// another server (RFC 9700, section 4.12). It must check the server's certificate, and should
/// limit the time and the size of a response.
public typealias OAuthTransport = @Sendable (OAuthRequest) async throws -> OAuthResponse

extension OAuthRequest {
  /// Posts the form, or gets the address if there is none.
  init(_ url: String, form: [String: String?]? = nil, authorization: String? = nil) {
    let type = form.map { _ in "application/x-www-form-urlencoded" }
    let headers = ["Accept": "application/json", "Content-Type": type, "Authorization": authorization]
    self.init(
      method: form == nil ? "GET" : "POST", url: url, headers: headers.compactMapValues(\.self),
      body: Array((form.map(Form.text) ?? "").utf8))
  }

  /// Sends the request, and reads the members of the response; none if the status is `empty`.
  func claims(over send: OAuthTransport, empty: Int? = nil) async throws(OAuthError) -> OAuthClaims {
    guard url.isSafeURL else { throw .misconfigured("An address of the server is not secure.") }
    let response: OAuthResponse
    do {
      response = try await send(self)
    } catch is CancellationError {
      throw .unavailable(Unavailability(.cancelled, "The request was cancelled."))
    } catch {
      // The message of the transport may contain the request, and so a secret.
      throw .unavailable(Unavailability(.unreachable, "The server cannot be reached."))
    }
    let (status, claims) = (response.status, OAuthClaims(response.body))
    switch status {
    case empty: return OAuthClaims()
    case 200...299: if let claims { return claims }
    case 429:
      let wait = response.headers.first { $0.key.lowercased() == "retry-after" }
      throw .throttled(.wait(wait.flatMap { Duration(seconds: $0.value, in: 1...3600) } ?? .seconds(30)))
    case 400...499: if let code = claims?["error"] { throw .refused(code) }
    case 500...599: throw .unavailable(Unavailability(.busy, "The server answered with status \(status)."))
    case _: break
    }
    throw .unusable("The server answered with status \(status), in an unknown form.")
  }
}

extension Duration {
  /// Reads a number of seconds from a server, which may be any number.
  init?(seconds text: String, in range: ClosedRange<Int64>) {
    guard let seconds = Int64(text) else { return nil }
    self = .seconds(min(max(seconds, range.lowerBound), range.upperBound))
  }
}
