import AuthCore

/// The vault of a command that neither logs in nor out: it keeps the session file of a disabled
/// account.
///
/// A store erases the token of a session that is over. Then only the first command could say that
/// the account was disabled, and every later one would advise to log in, which is refused without a
/// reason. `login` and `logout` work on the vault itself.
struct DisabledSessionVault: SessionVault {
  let base: any SessionVault
  let authority: CommandAuthority

  func load() async -> VaultReading {
    await base.load()
  }

  func store(_ token: SessionToken, of user: LastKnownUser?) async throws(VaultError) -> VaultReading {
    try await base.store(token, of: user)
  }

  func replace(
    _ old: SessionToken, with new: SessionToken, of user: LastKnownUser?
  ) async throws(VaultError) -> Bool {
    try await base.replace(old, with: new, of: user)
  }

  func erase(_ token: SessionToken) async throws(VaultError) {
    if !authority.isDisabled(token) { try await base.erase(token) }
  }

  func setAside() async throws(VaultError) -> String? {
    try await base.setAside()
  }
}
