public import AuthBackend
public import AuthCore

/// What can be told before anybody types a password.
///
/// It binds nobody: what counts is what the registration or the login itself finds.
extension LocalAuthority {
  /// Looks whether a name can still be registered, so that nobody types a password for one that is taken.
  ///
  /// - Throws: ``LocalFailure`` of kind `invalid` for a name that is not accepted, `refused` (`username_taken`) when it is in use,
  ///   `unavailable` when no account could be stored. A missing database is none of these, since registering makes it.
  public func check(newUsername username: String) throws(LocalFailure) {
    let name = try Username(username)
    do throws(LocalFailure) {
      try database.write { (db) throws(LocalFailure) in try requireFree(name, in: db) }
    } catch {
      guard error.code == DatabaseFault.missing(databasePath).code else { throw error }
    }
  }

  /// Looks whether a password may be set, so that nobody types one twice that is refused then.
  ///
  /// - Throws: ``LocalFailure`` of kind `invalid` with the rule that the name or the password breaks.
  public func check(newPassword password: Password, for username: String) throws(LocalFailure) {
    _ = try PasswordPolicy.accept(password, for: try Username(username))
  }

  /// Looks whether a login could be stored, so that nobody types a password where there is no database.
  ///
  /// - Throws: ``LocalFailure`` of kind `unavailable` with what is in the way.
  public func checkForLogins() throws(LocalFailure) {
    try database.write { (_) throws(LocalFailure) in }
  }
}
