public import AuthCore
import Guards

/// A vault in memory that can fail on request.
///
/// By default it behaves as a vault must: it passes ``SessionVaultContract``. ``hold(_:at:calls:)``
/// stops its operations before or after they take effect, where a process could crash.
public final class InMemoryVault: SessionVault {
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
    /// `store(_:of:)`
    case store
    /// `replace(_:with:of:)`
    case replace
    /// `erase(_:)`
    case erase
    /// `setAside()`
    case setAside
  }

  /// Where a held operation stops.
  public enum Point: Hashable, Sendable {
    /// Before it takes effect.
    case before
    /// After it took effect, before the caller gets the result.
    case after
  }

  private struct Place: Hashable {
    let operation: Operation
    let point: Point
  }

  private struct Storage {
    var content: Content
    /// The user of the token.
    var user: LastKnownUser?
    var readFailure: VaultError?
    var writeFailure: VaultError?
    var writesLandAnyway = false
    var evidence: [VaultEvidence] = []
    var log: [Operation] = []

    var reading: VaultReading {
      switch content {
      case .empty: .absent
      case .token(let token): .token(token, of: user)
      case .corrupt(let evidence): .corrupt(evidence)
      }
    }
  }

  private let storage: Locked<Storage>
  private let turnstile = Turnstile<Place>()

  /// Creates a vault.
  ///
  /// - Parameters:
  ///   - content: The content, such as that of an earlier process.
  ///   - user: The user of the token.
  public init(_ content: Content = .empty, of user: LastKnownUser? = nil) {
    storage = Locked(Storage(content: content, user: user))
  }

  // MARK: Controls for tests

  /// The current content; set it to act as another process.
  public var content: Content {
    get { storage.withLock { $0.content } }
    set { storage.withLock { ($0.content, $0.user) = (newValue, nil) } }
  }

  /// The content that was set aside.
  public var evidence: [VaultEvidence] { storage.withLock { $0.evidence } }

  /// The called operations, in order.
  public var log: [Operation] { storage.withLock { $0.log } }

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
    storage.withLock { storage in
      storage.writeFailure = failure
      storage.writesLandAnyway = landing
    }
  }

  /// Stops calls of an operation at a point, until ``release(_:at:)``.
  ///
  /// - Parameters:
  ///   - operation: The operation to stop.
  ///   - point: Where its calls stop.
  ///   - calls: The number of calls to stop; later calls pass.
  public func hold(_ operation: Operation, at point: Point = .before, calls: Int = .max) {
    turnstile.hold(Place(operation: operation, point: point), calls: calls)
  }

  /// Releases the held calls of an operation; later calls pass.
  public func release(_ operation: Operation, at point: Point = .before) {
    turnstile.release(Place(operation: operation, point: point))
  }

  /// Releases the first held call of an operation; the others stay held.
  public func releaseFirst(_ operation: Operation, at point: Point = .before) {
    turnstile.releaseFirst(Place(operation: operation, point: point))
  }

  /// Waits until `count` calls of an operation are held at the point.
  public func waitUntilHeld(_ operation: Operation, at point: Point = .before, count: Int = 1) async {
    await turnstile.waitUntilHeld(Place(operation: operation, point: point), count: count)
  }

  // MARK: SessionVault

  /// The content, or the error that a test set.
  public func load() async -> VaultReading {
    await turnstile.pass(Place(operation: .load, point: .before))
    let reading = storage.withLock { storage -> VaultReading in
      storage.log.append(.load)
      if let failure = storage.readFailure { return .unavailable(failure) }
      return storage.reading
    }
    await turnstile.pass(Place(operation: .load, point: .after))
    return reading
  }

  /// Saves `token` and its user; sets corrupt content aside first.
  ///
  /// - Returns: The previous content.
  @discardableResult
  public func store(
    _ token: SessionToken, of user: LastKnownUser? = nil
  ) async throws(VaultError) -> VaultReading {
    try await write(.store) { storage in
      let reading = storage.reading
      if case .corrupt(let evidence) = storage.content { storage.evidence.append(evidence) }
      (storage.content, storage.user) = (.token(token), user)
      return reading
    }
  }

  /// Saves `new` and its user if the vault holds `old`.
  public func replace(
    _ old: SessionToken, with new: SessionToken, of user: LastKnownUser? = nil
  ) async throws(VaultError) -> Bool {
    try await write(.replace) { storage in
      guard storage.content == .token(old) else { return false }
      (storage.content, storage.user) = (.token(new), user)
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

  private func write<Result: Sendable>(
    _ operation: Operation, _ body: (inout Storage) -> Result
  ) async throws(VaultError) -> Result {
    await turnstile.pass(Place(operation: operation, point: .before))
    let result = storage.withLock { storage -> Swift.Result<Result, VaultError> in
      storage.log.append(operation)
      if let failure = storage.writeFailure {
        if storage.writesLandAnyway { _ = body(&storage) }
        return .failure(failure)
      }
      return .success(body(&storage))
    }
    await turnstile.pass(Place(operation: operation, point: .after))
    return try result.get()
  }
}
