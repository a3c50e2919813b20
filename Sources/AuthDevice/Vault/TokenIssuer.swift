/// The issuer of a token, stored in the session file so that no token is sent to another database.
public enum TokenIssuer: Hashable, Sendable {
  /// The embedded backend.
  case embedded
  /// A database on a server; its tokens contain the database's id.
  case server
}
