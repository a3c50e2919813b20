public import AuthCore
import ConcurrencyKit

/// A vault in memory that can fail on request.
///
/// By default it behaves as a vault must: it passes ``SessionVaultContract``. ``hold(_:at:calls:)``
/// stops its operations before or after they take effect, where a process could crash.
public final class InMemoryVault: SessionVault, HeldCalls {
  /// The content of the vault.
  public enum Content: Hashable, Sendable {
    /// Nothing.
    case empty
    /// A token.
    case token(SessionToken)
    /// Unusable content.
    case corrupt(VaultEvidence)
  }

  /// The operations of a vault.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// `load()`
    case load
    /// `store(_:_:)`
    case store
    /// `replace(_:with:_:)`
    case replace
    /// `erase(_:)`
    case erase
    /// `setAside()`
    case setAside
    /// `lockExchange(of:wait:)`
    case lock
    /// `begin()` of a lock
    case begin
    /// `release(_:)` of a lock
    case release
  }

  struct Storage {
    var content: Content
    /// What was saved with the token.
    var details = TokenDetails()
    var readFailure: VaultError?
    /// The failure of writes, and whether they take effect anyway.
    var writeFailure: (error: VaultError, lands: Bool)?
    var evidence: [VaultEvidence] = []
    var locks = Locks()
    /// The failure of saving the result of an exchange.
    var releaseFailure: VaultError?

    var reading: VaultReading {
      switch content {
      case .empty: .absent
      case .token(let token): .token(token, details)
      case .corrupt(let evidence): .corrupt(evidence)
      }
    }
  }

  let storage: Locked<Storage>
  /// Logs the calls and stops those that a test holds.
  public let turnstile = Turnstile<Operation>()

  /// Creates a vault.
  ///
  /// - Parameters:
  ///   - content: The content, such as that of an earlier process.
  ///   - user: The user of the token.
  public init(_ content: Content = .empty, of user: LastKnownUser? = nil) {
    storage = Locked(Storage(content: content, details: TokenDetails(user: user)))
  }

  // MARK: Controls for tests

  /// The current content; set it to act as another process.
  public var content: Content {
    get { storage.withLock { $0.content } }
    set { storage.withLock { ($0.content, $0.details) = (newValue, TokenDetails()) } }
  }

  /// The content that was set aside.
  public var evidence: [VaultEvidence] { storage.withLock { $0.evidence } }

  /// Makes every read fail; with nil, reads work again.
  public func failReads(_ failure: VaultError?) {
    storage.withLock { $0.readFailure = failure }
  }

  /// Makes every write fail; with nil, writes work again.
  ///
  /// - Parameters:
  ///   - failure: The error for the caller.
  ///   - landing: True if the write takes effect anyway, like a write of which only the last flush
  ///     failed.
  public func failWrites(_ failure: VaultError?, landing: Bool = false) {
    storage.withLock { $0.writeFailure = failure.map { ($0, landing) } }
  }

  // MARK: SessionVault

  /// The content, or the error that a test set.
  public func load() async -> VaultReading {
    await turnstile.pass(.load) {
      storage.withLock { $0.readFailure.map(VaultReading.unavailable) ?? $0.reading }
    }
  }

  /// Saves `token` and its details; sets corrupt content aside first.
  ///
  /// - Returns: The previous content.
  @discardableResult
  public func store(
    _ token: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> VaultReading {
    try await write(.store) { storage in
      let reading = storage.reading
      if case .corrupt(let evidence) = storage.content { storage.evidence.append(evidence) }
      (storage.content, storage.details) = (.token(token), details)
      return reading
    }
  }

  /// Saves `new` and its details if the vault holds `old`.
  public func replace(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> Bool {
    try await write(.replace) { storage in
      guard storage.content == .token(old) else { return false }
      (storage.content, storage.details) = (.token(new), details)
      return true
    }
  }

  /// Erases `token` if the vault holds it.
  public func erase(_ token: SessionToken) async throws(VaultError) {
    try await write(.erase) { storage in
      if storage.content == .token(token) { storage.content = .empty }
    }
  }

  /// Moves corrupt content to ``evidence``.
  public func setAside() async throws(VaultError) -> String? {
    try await write(.setAside) { storage in
      guard case .corrupt(let evidence) = storage.content else { return nil }
      storage.evidence.append(evidence)
      storage.content = .empty
      return "evidence \(storage.evidence.count)"
    }
  }

  func write<Result: Sendable>(
    _ operation: Operation, _ body: (inout Storage) -> Result
  ) async throws(VaultError) -> Result {
    try await turnstile.pass(operation) {
      storage.withLock { storage -> Swift.Result<Result, VaultError> in
        guard let (error, lands) = storage.writeFailure else { return .success(body(&storage)) }
        if lands { _ = body(&storage) }
        return .failure(error)
      }
    }.get()
  }
}
