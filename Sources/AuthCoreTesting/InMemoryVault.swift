public import AuthCore

/// A vault in memory, whose faults a test sets.
public final class InMemoryVault: SessionVault {
  /// What is kept.
  public enum Content: Hashable, Sendable {
    /// Nothing.
    case empty
    /// A token.
    case token(SessionToken)
    /// Something that cannot be used.
    case corrupt(VaultEvidence)
  }

  private struct Storage {
    var content: Content
    var readFailure: VaultFailure?
    var writeFailure: VaultFailure?
    var evidence: [VaultEvidence] = []
  }

  private let storage: Locked<Storage>

  /// Creates a vault.
  public init(_ content: Content = .empty) {
    storage = Locked(Storage(content: content))
  }

  /// What is kept now. Setting it is what another process does.
  public var content: Content {
    get { storage.withLock { $0.content } }
    set { storage.withLock { $0.content = newValue } }
  }

  /// What was set aside.
  public var evidence: [VaultEvidence] { storage.withLock { $0.evidence } }

  /// Makes every read fail, or none with nil.
  public func failReads(_ failure: VaultFailure?) {
    storage.withLock { $0.readFailure = failure }
  }

  /// Makes every write fail, or none with nil.
  public func failWrites(_ failure: VaultFailure?) {
    storage.withLock { $0.writeFailure = failure }
  }

  /// What is kept, or the fault that was set.
  public func load() async -> VaultReading {
    storage.withLock { storage in
      if let failure = storage.readFailure { return .unavailable(failure) }
      return switch storage.content {
      case .empty: .absent
      case .token(let token): .token(token)
      case .corrupt(let evidence): .corrupt(evidence)
      }
    }
  }

  /// Keeps `token`; corrupt content is set aside first.
  public func store(_ token: SessionToken) async throws(VaultFailure) {
    try write { storage in
      if case .corrupt(let evidence) = storage.content { storage.evidence.append(evidence) }
      storage.content = .token(token)
    }
  }

  /// Keeps `new` if `old` is what is kept.
  public func replace(_ old: SessionToken, with new: SessionToken) async throws(VaultFailure) -> Bool {
    try write { storage in
      guard storage.content == .token(old) else { return false }
      storage.content = .token(new)
      return true
    }
  }

  /// Forgets `token` if it is what is kept.
  public func erase(_ token: SessionToken) async throws(VaultFailure) {
    try write { storage in
      if storage.content == .token(token) { storage.content = .empty }
    }
  }

  /// Moves corrupt content to ``evidence``.
  public func setAside() async throws(VaultFailure) -> String? {
    try write { storage in
      guard case .corrupt(let evidence) = storage.content else { return nil }
      storage.evidence.append(evidence)
      storage.content = .empty
      return "evidence \(storage.evidence.count)"
    }
  }

  private func write<Result: Sendable>(_ body: (inout Storage) -> Result) throws(VaultFailure) -> Result {
    let result = storage.withLock { storage -> Swift.Result<Result, VaultFailure> in
      if let failure = storage.writeFailure { return .failure(failure) }
      return .success(body(&storage))
    }
    return try result.get()
  }
}
