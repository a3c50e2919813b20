import AuthCore
import AuthDevice

/// What a command does with the session of its context.
enum WorkspaceUse {
  /// It changes neither the session file nor the database, such as `status`.
  case readsOnly
  /// The same until its user asks it to log in or out, such as `app`.
  case readsUntilAsked
  /// It uses the session, which may end with that, as a reader of its data does.
  case acts
}

/// The session file for a command that only reads: it is never erased.
///
/// The store erases the token of a session that it finds ended, but the state of a session file is
/// for the commands that use it.
struct KeptVault: SessionVault {
  private let file: FileVault

  init(_ file: FileVault) { self.file = file }

  func load() async -> VaultReading { await file.load() }

  func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
    try await file.store(token, details)
  }

  func replace(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> Bool { try await file.replace(old, with: new, details) }

  func erase(_: SessionToken) async {}

  func setAside() async -> String? { nil }

  func lockExchange(of token: SessionToken, wait: Duration) async throws(VaultError) -> ExchangeLockResult {
    try await file.lockExchange(of: token, wait: wait)
  }

  /// Leaves an exchange that its process did not end to a command that uses the session.
  func isInterrupted(_: SessionToken) async -> Bool { false }
}
