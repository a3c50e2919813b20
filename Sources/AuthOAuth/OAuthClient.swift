public import AuthCore

/// What the server knows of the app.
public struct OAuthClient: Hashable, Sendable, Redacted {
  /// The identifier that the server gave the app.
  public let id: String
  /// The secret of a service; nil for an app that people install, which can keep none (RFC 8252,
  /// section 8.5).
  public let secret: Secret?
  /// Where the browser returns to: a scheme of the app's own, or a port of this machine.
  public let redirectURI: String
  /// What the app asks for; many servers need a word such as `offline_access` for a session that
  /// lasts.
  public let scopes: [String]
  /// Further parameters of the server's own, for the authorization endpoint; none replaces one of
  /// the standards'.
  public let parameters: [String: String]

  /// Creates a client.
  public init(
    id: String, secret: Secret? = nil, redirectURI: String = "", scopes: [String] = [],
    parameters: [String: String] = [:]
  ) {
    self.id = id
    self.secret = secret
    self.redirectURI = redirectURI
    self.scopes = scopes
    self.parameters = parameters
  }

  var scope: String? { scopes.isEmpty ? nil : scopes.joined(separator: " ") }
}
