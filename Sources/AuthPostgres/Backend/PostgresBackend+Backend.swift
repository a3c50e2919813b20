public import AuthBackend
public import AuthCore
public import AuthDevice

/// What ``AuthBackend/Backend`` asks besides the operations that take a token.
extension PostgresBackend: Backend, TokenBackend {
  /// Tokens name the database that issued them.
  public var issuer: TokenIssuer { .server }

  /// What the connection is to; nil before the first call.
  public var connection: BackendConnection? { server.facts }

  /// See ``AuthBackend/Backend/changes()``.
  public func changes() throws(BackendError) -> any ChangeSource {
    ServerChanges(server)
  }

  /// See ``AuthBackend/Backend/check(newUsername:)``.
  public func check(newUsername username: String) throws(BackendError) {
    try check(free: try Username(username))
  }

  /// See ``AuthBackend/Backend/check(newPassword:for:)``.
  public func check(newPassword password: Password, for username: String) throws(BackendError) {
    _ = try PasswordPolicy.accept(password, for: try Username(username))
  }

  /// See ``AuthBackend/Backend/checkForLogins()``.
  public func checkForLogins() throws(BackendError) {
    _ = try server.ask()
  }
}
