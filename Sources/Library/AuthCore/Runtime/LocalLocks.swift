import ConcurrencyKit
import Guards

/// The locks of this process, for vaults that have none of their own.
///
/// One table serves all vaults, because a token names only one session. The vault is not part of
/// the key: two vault objects, such as those of two stores, may be views of one storage, and must
/// not both spend its token.
final class LocalLocks: Sendable {
  static let shared = LocalLocks()

  /// The error of a lock that another store of this process has.
  static let lockedHere = VaultError(
    "Another part of this program is renewing the session.", hint: "Try again; nothing was changed.")

  /// The locked tokens, each with the callers that wait for the end of its lock.
  private let waiters = Locked<[SessionToken: [Promise<ExchangeLockResult?>]]>([:])

  func lock(_ token: SessionToken, in vault: any SessionVault, wait: Duration) async -> ExchangeLockResult {
    let deadline = ContinuousClock.now.advanced(by: wait)
    while true {
      let promise = waiters.withLock { waiters -> Promise<ExchangeLockResult?>? in
        guard waiters[token] != nil else {
          waiters[token] = []
          return nil
        }
        let promise = Promise<ExchangeLockResult?>()
        if wait > .zero { waiters[token]?.append(promise) }
        return promise
      }
      guard let promise else { break }
      guard wait > .zero else { return .busy(Self.lockedHere) }
      // A request that never ends must not block the vault queue, in which a save waits here.
      let timer = Task {
        try await Task.sleep(until: deadline, clock: .continuous)
        promise.fulfil(.busy(Self.lockedHere))
      }
      defer { timer.cancel() }
      guard let shared = await promise.value() else { return .busy(Self.lockedHere) }
      if let shared { return shared }
    }
    guard case .token(token, _) = await vault.load() else {
      end(token, nil)
      return .changed
    }
    return .acquired(LocalLock(token: token, vault: vault, locks: self))
  }

  /// Ends the lock of a token, and lets the callers that wait continue, or share its answer.
  fileprivate func end(_ token: SessionToken, _ shared: ExchangeLockResult?) {
    let waiting = waiters.withLock { $0.removeValue(forKey: token) ?? [] }
    for waiter in waiting { waiter.fulfil(shared) }
  }
}

/// A lock that ends with this process.
private final class LocalLock: ExchangeLock {
  let interrupted: InterruptedExchange? = nil
  private let token: SessionToken
  private let vault: any SessionVault
  private let locks: LocalLocks
  private let releaseGate = Gatekeeper<Bool>()

  init(token: SessionToken, vault: any SessionVault, locks: LocalLocks) {
    (self.token, self.vault, self.locks) = (token, vault, locks)
  }

  deinit { end(nil) }

  func begin() async throws(VaultError) -> ExchangeRecorder? { nil }

  func release(_ end: ExchangeEnd) async throws(VaultError) -> Bool {
    switch end {
    case .replaced(let new, let details):
      defer { self.end(nil) }
      return try await vault.replace(token, with: new, details)
    case .unknown(let cause): self.end(.failed(cause))
    case .refused(let reason): self.end(.refused(reason))
    case .unsent: self.end(nil)
    }
    return true
  }

  private func end(_ shared: ExchangeLockResult?) {
    if releaseGate.attemptPassage() { locks.end(token, shared) }
  }
}
