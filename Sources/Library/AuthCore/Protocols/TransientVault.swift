import ConcurrencyKit

/// A vault that stores nothing: its token ends with the process.
///
/// For an app whose users log in at each launch, or whose authority keeps sessions in memory. At
/// the authority, a session that nobody ended continues until its limits.
public final class TransientVault: SessionVault {
  private let kept = Locked<(token: SessionToken, details: TokenDetails)?>(nil)

  /// Creates an empty vault.
  public init() {}

  /// Reads the token that this process holds.
  public func load() async -> VaultReading { kept.withLock { Self.reading($0) } }

  /// Holds `token` and its details in place of the current content.
  @discardableResult
  public func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
    kept.withLock { kept in
      defer { kept = (token, details) }
      return Self.reading(kept)
    }
  }

  /// Holds `new` and its details if the vault holds `old`.
  public func replace(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> Bool {
    kept.withLock { kept in
      guard kept?.token == old else { return false }
      kept = (new, details)
      return true
    }
  }

  /// Drops `token` if the vault holds it.
  public func erase(_ token: SessionToken) async throws(VaultError) {
    kept.withLock { if $0?.token == token { $0 = nil } }
  }

  /// Nothing to move: memory is always readable.
  public func setAside() async throws(VaultError) -> String? { nil }

  private static func reading(_ kept: (token: SessionToken, details: TokenDetails)?) -> VaultReading {
    kept.map { .token($0.token, $0.details) } ?? .absent
  }
}
