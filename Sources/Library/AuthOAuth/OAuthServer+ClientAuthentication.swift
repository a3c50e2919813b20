import TextFormat

extension OAuthServer {
  /// How a client with a secret proves who it is (RFC 6749, section 2.3.1); the raw value is the
  /// name in the server's metadata.
  ///
  /// A later version may add ways.
  public struct ClientAuthentication: RawRepresentable, Hashable, Sendable, Codable {
    /// Sends the secret in a header: the default of servers (RFC 8414, section 2; RFC 7591, section
    /// 2).
    public static let basic = ClientAuthentication(rawValue: "client_secret_basic")
    /// Sends the secret in the form.
    public static let post = ClientAuthentication(rawValue: "client_secret_post")

    /// Sends the secret in a header, and the client id in the form too, as servers on the SDK of
    /// MCP want it.
    ///
    /// No metadata names it. Some servers refuse it, because they take the id for a second way.
    static let basicWithID = ClientAuthentication(rawValue: "client_secret_basic client_id")

    /// The name in the server's metadata.
    public let rawValue: String

    /// Wraps a name of the server's metadata.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The ways to try after this one was refused.
    var others: [ClientAuthentication] {
      [self == .post ? .basic : .post] + (self == .basicWithID ? [.basic] : [.basicWithID])
    }

    /// The credentials of a client in a header; both parts are encoded as in a form, so that an id
    /// may contain a colon.
    static func header(_ client: String, _ secret: String) -> String {
      "Basic " + Base64URL.padded(Array("\(Form.escaped(client)):\(Form.escaped(secret))".utf8))
    }
  }

  /// Reads the ways that the metadata lists: services have lists of their own.
  static func clientAuthentication(in document: OAuthClaims) -> [Endpoint: ClientAuthentication] {
    let lists: [Endpoint: String] = [
      .token: "token_endpoint_auth_methods_supported", .revocation: "revocation_endpoint_auth_methods_supported",
      .introspection: "introspection_endpoint_auth_methods_supported",
    ]
    return lists.compactMapValues { name in
      let listed = document.list(name)
      return [.basic, .post].first { listed.contains($0.rawValue) }
    }
  }
}
