/// The issuer of a token, stored in the session file so that no token is sent to another authority.
public struct TokenIssuer: RawRepresentable, Hashable, Sendable {
  /// The name of the issuer in the session file.
  public let rawValue: String

  /// Creates an issuer with a name of your own, such as the address of a server.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Default: the authority of an app.
  public static let app = TokenIssuer(rawValue: "app")
  /// The embedded backend; its tokens start with the name of the database.
  public static let embedded = TokenIssuer(rawValue: "embedded")
  /// A database of a service; its tokens start with the name of the database.
  public static let server = TokenIssuer(rawValue: "server")

  /// The client of an identity provider.
  package static func provider(_ issuer: String, client: String) -> TokenIssuer {
    TokenIssuer(rawValue: "\(providerPrefix)\(issuer) \(client)")
  }

  /// A client that acts for itself at an identity provider: its access is no user's session.
  package static func clientItself(_ client: String, at issuer: String) -> TokenIssuer {
    TokenIssuer(rawValue: "\(clientPrefix)\(issuer) \(client)")
  }

  /// Whether it is a client that acts for itself.
  package var isClientItself: Bool { rawValue.hasPrefix(Self.clientPrefix) }

  // An issuer is an address, so no user's session begins so.
  private static let clientPrefix = "\(providerPrefix)client "

  /// Any client of any identity provider, for a vault that only reads.
  package static let anyProvider = TokenIssuer(rawValue: providerPrefix)

  private static let providerPrefix = "provider "

  /// Whether the tokens start with the name of their database.
  var namesDatabase: Bool { self == .embedded || self == .server }

  /// Whether an identity provider issued the token.
  package var isProvider: Bool { rawValue.hasPrefix(Self.providerPrefix) }
}
