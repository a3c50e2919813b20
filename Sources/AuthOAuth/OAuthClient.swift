public import AuthCore

/// The app, as the server knows it.
public struct OAuthClient: Hashable, Sendable, Redacted {
  /// The identifier that the server gave the app.
  public let id: String
  /// The secret of a service; nil for an app that users install, because it cannot keep a secret
  /// (RFC 8252, section 8.5).
  public let secret: Secret?
  /// The address to which the browser returns: a scheme of your app, or a port of this machine.
  public let redirectURI: String
  /// The access that the app requests.
  ///
  /// Many servers need a scope such as `offline_access` for a session that lasts.
  public let scopes: [String]
  /// Further parameters of your server for the authorization endpoint.
  ///
  /// They replace none of the standard ones.
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
