public import AuthCore

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

  /// The method and the place, without a query.
  public var description: String { "\(method) \(url.prefix { $0 != "?" })" }
}

/// The server's answer to an ``OAuthRequest``.
///
/// It never prints its content: the body holds tokens.
public struct OAuthResponse: Hashable, Sendable, Redacted {
  /// The HTTP status.
  public let status: Int
  /// The headers; case does not matter in their names.
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

  /// A longer body is refused unread; an answer of OAuth 2.0 has a few kilobytes.
  static let longestBody = 262_144

  func header(_ name: String) -> String? {
    headers.first { $0.key.lowercased() == name }?.value
  }
}

/// Sends a request and returns the answer, whatever its status; throws when none came.
///
/// It must not follow redirects: an answer with status 307 would make it send the refresh token to
/// another place (RFC 9700, section 4.12). It checks the server's certificate, and should have
/// limits of time and size.
public typealias OAuthTransport = @Sendable (OAuthRequest) async throws -> OAuthResponse
