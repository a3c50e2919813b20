public import AuthBackend
public import AuthCore

/// What can be told before anybody types a password.
///
/// It binds nobody: what counts is what the registration or the login itself finds.
extension LocalAuthority {
  /// Looks whether a name can still be registered, so that nobody types a password for one that is taken.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted, `refused` (`username_taken`) when it is in use,
  ///   `unavailable` when no account could be stored. A missing database is none of these, since registering makes it.
  public func check(newUsername username: String) throws(BackendError) {
    let name = try Username(username)
    do throws(BackendError) {
      try database.write { (db) throws(BackendError) in try requireFree(name, in: db) }
    } catch {
      guard error.code == DatabaseError.missing(databasePath).code else { throw error }
    }
  }

  /// Looks whether a password may be set, so that nobody types one twice that is refused then.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` with the rule that the name or the password breaks.
  public func check(newPassword password: Password, for username: String) throws(BackendError) {
    _ = try PasswordPolicy.accept(password, for: try Username(username))
  }

  /// Looks whether a login could be stored, so that nobody types a password where there is no database.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` with what is in the way.
  public func checkForLogins() throws(BackendError) {
    try database.write { (_) throws(BackendError) in }
  }
}
