import Guards

/// A vault that stores nothing: its token ends with the process.
///
/// For an app whose users log in at each launch, or whose authority keeps sessions in memory. At
/// the authority, a session that nobody ended continues until its limits.
public final class TransientVault: SessionVault {
  private let kept = Locked<(token: SessionToken, user: LastKnownUser?)?>(nil)

  /// Creates an empty vault.
  public init() {}

  /// The token of this process.
  public func load() async -> VaultReading { kept.withLock { Self.reading($0) } }

  /// Holds `token` and its user in place of the current content.
  @discardableResult
  public func store(_ token: SessionToken, of user: LastKnownUser?) async throws(VaultError) -> VaultReading {
    kept.withLock { kept in
      defer { kept = (token, user) }
      return Self.reading(kept)
    }
  }

  /// Holds `new` and its user if the vault holds `old`.
  public func replace(
    _ old: SessionToken, with new: SessionToken, of user: LastKnownUser?
  ) async throws(VaultError) -> Bool {
    kept.withLock { kept in
      guard kept?.token == old else { return false }
      kept = (new, user)
      return true
    }
  }

  /// Drops `token` if the vault holds it.
  public func erase(_ token: SessionToken) async throws(VaultError) {
    kept.withLock { if $0?.token == token { $0 = nil } }
  }

  /// Nothing to move: memory is always readable.
  public func setAside() async throws(VaultError) -> String? { nil }

  private static func reading(_ kept: (token: SessionToken, user: LastKnownUser?)?) -> VaultReading {
    kept.map { .token($0.token, of: $0.user) } ?? .absent
  }
}
