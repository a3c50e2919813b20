public import AuthCore
import Guards

/// A vault in memory, whose faults a test sets.
///
/// Left alone it behaves as a vault must: it passes ``SessionVaultContract``. ``hold(_:at:calls:)`` stops its operations before or after they take
/// effect, which is where a process may crash.
public final class InMemoryVault: SessionVault {
  /// What is kept.
  public enum Content: Hashable, Sendable {
    /// Nothing.
    case empty
    /// A token.
    case token(SessionToken)
    /// Something that cannot be used.
    case corrupt(VaultEvidence)

    /// What a look at it finds.
    fileprivate var reading: VaultReading {
      switch self {
      case .empty: .absent
      case .token(let token): .token(token)
      case .corrupt(let evidence): .corrupt(evidence)
      }
    }
  }

  /// The operations of a vault.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// `load()`
    case load
    /// `store(_:)`
    case store
    /// `replace(_:with:)`
    case replace
    /// `erase(_:)`
    case erase
    /// `setAside()`
    case setAside
  }

  /// Where a held operation stands still.
  public enum Point: Hashable, Sendable {
    /// Before it takes effect.
    case before
    /// After it took effect, before the caller hears of it.
    case after
  }

  private struct Place: Hashable {
    let operation: Operation
    let point: Point
  }

  private struct Storage {
    var content: Content
    var readFailure: VaultError?
    var writeFailure: VaultError?
    var writesLandAnyway = false
    var evidence: [VaultEvidence] = []
    var log: [Operation] = []
  }

  private let storage: Locked<Storage>
  private let turnstile = Turnstile<Place>()

  /// Creates a vault.
  public init(_ content: Content = .empty) {
    storage = Locked(Storage(content: content))
  }

  // MARK: What a test sets

  /// What is kept now; setting it is what another process does.
  public var content: Content {
    get { storage.withLock { $0.content } }
    set { storage.withLock { $0.content = newValue } }
  }

  /// What was set aside.
  public var evidence: [VaultEvidence] { storage.withLock { $0.evidence } }

  /// The operations that were asked for, in order.
  public var log: [Operation] { storage.withLock { $0.log } }

  /// Makes every read fail, or none with nil.
  public func failReads(_ failure: VaultError?) {
    storage.withLock { $0.readFailure = failure }
  }

  /// Makes every write fail, or none with nil.
  ///
  /// - Parameters:
  ///   - failure: What the caller is told.
  ///   - landing: True when the write takes effect all the same, as one does whose last flush failed.
  public func failWrites(_ failure: VaultError?, landing: Bool = false) {
    storage.withLock { storage in
      storage.writeFailure = failure
      storage.writesLandAnyway = landing
    }
  }

  /// Stops calls of an operation at a point, until ``release(_:at:)``.
  ///
  /// - Parameters:
  ///   - operation: Which calls.
  ///   - point: Where they stand still.
  ///   - calls: How many of the next ones; later ones pass.
  public func hold(_ operation: Operation, at point: Point = .before, calls: Int = .max) {
    turnstile.hold(Place(operation: operation, point: point), calls: calls)
  }

  /// Lets the held calls of an operation go on, and later ones pass.
  public func release(_ operation: Operation, at point: Point = .before) {
    turnstile.release(Place(operation: operation, point: point))
  }

  /// Lets the first held call of an operation go on; the others stand.
  public func releaseFirst(_ operation: Operation, at point: Point = .before) {
    turnstile.releaseFirst(Place(operation: operation, point: point))
  }

  /// Waits until `count` calls of a held operation stand at the point.
  public func waitUntilHeld(_ operation: Operation, at point: Point = .before, count: Int = 1) async {
    await turnstile.waitUntilHeld(Place(operation: operation, point: point), count: count)
  }

  // MARK: SessionVault

  /// What is kept, or the fault that was set.
  public func load() async -> VaultReading {
    await turnstile.pass(Place(operation: .load, point: .before))
    let reading = storage.withLock { storage -> VaultReading in
      storage.log.append(.load)
      if let failure = storage.readFailure { return .unavailable(failure) }
      return storage.content.reading
    }
    await turnstile.pass(Place(operation: .load, point: .after))
    return reading
  }

  /// Keeps `token`; corrupt content is set aside first.
  ///
  /// - Returns: What was kept before.
  @discardableResult
  public func store(_ token: SessionToken) async throws(VaultError) -> VaultReading {
    try await write(.store) { storage in
      let reading = storage.content.reading
      if case .corrupt(let evidence) = storage.content { storage.evidence.append(evidence) }
      storage.content = .token(token)
      return reading
    }
  }

  /// Keeps `new` if `old` is what is kept.
  public func replace(_ old: SessionToken, with new: SessionToken) async throws(VaultError) -> Bool {
    try await write(.replace) { storage in
      guard storage.content == .token(old) else { return false }
      storage.content = .token(new)
      return true
    }
  }

  /// Forgets `token` if it is what is kept.
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
