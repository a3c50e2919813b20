/// Who issued a token: a session file says it, so that no token is shown to another database.
public enum TokenIssuer: Hashable, Sendable {
  /// The embedded backend.
  case embedded
  /// A database on a server; its tokens name the database.
  case server
}
