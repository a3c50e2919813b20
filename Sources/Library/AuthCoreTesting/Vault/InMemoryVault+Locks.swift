public import AuthCore
import ConcurrencyKit

extension InMemoryVault {
  /// The lock under way and what its exchange left behind.
  struct Locks {
    var isHeld = false
    var isHolderStopped = false
    var isHolderDead = false
    var note: ExchangeNote?
    var answer: [UInt8]?
    /// Counts what happens, in place of a clock.
    var time = Duration.zero
    var waiters: [Promise<Void>] = []

    mutating func now() -> BootInstant {
      time += .seconds(1)
      return BootInstant(boot: BootID(high: 0, low: 0), uptime: time)
    }
  }

  /// Makes the holder of the lock stop: other locks are answered with `busy`, until false.
  public func stopHolder(_ isStopped: Bool) {
    storage.withLock { $0.locks.isHolderStopped = isStopped }
  }

  /// Makes it fail to save the result of an exchange; with nil, that works again.
  public func failReleasing(_ failure: VaultError?) {
    storage.withLock { $0.releaseFailure = failure }
  }

  /// Kills the process that has the lock, but not its request, which keeps the lock until
  /// ``killHolder(answer:)``.
  public func killHolderDuringRequest() {
    storage.withLock { $0.locks.isHolderDead = true }
  }

  /// Ends the lock under way, as if its process were killed.
  ///
  /// - Parameter answer: The answer that the program with the request wrote down; nil for none.
  public func killHolder(answer: [UInt8]? = nil) {
    storage.withLock { $0.locks.answer = answer }
    unlock()
  }

  /// Locks the token among all stores on this vault.
  public func lockExchange(of token: SessionToken, wait: Duration) async throws(VaultError) -> ExchangeLockResult {
    var waiting: BootInstant?
    while true {
      let locked = await turnstile.pass(.lock) {
        storage.withLock { storage -> Result<ExchangeLockResult, Busy> in
          guard !storage.locks.isHeld else {
            if waiting == nil { waiting = storage.locks.now() }
            guard !storage.locks.isHolderStopped, wait > .zero else { return .failure(Busy(release: nil)) }
            let release = Promise<Void>()
            storage.locks.waiters.append(release)
            return .failure(Busy(release: release))
          }
          let saved: [UInt8]? = if case .token(let saved) = storage.content { saved.bytes } else { nil }
          switch ExchangeNote.decide(token.bytes, saved: saved, note: storage.locks.note, waiting: waiting) {
          case .changed: return .success(.changed)
          case .refused(let reason): return .success(.refused(reason))
          case .failed(let cause): return .success(.failed(cause))
          case .acquired(let interrupted):
            storage.locks.isHeld = true
            let earlier = interrupted.map {
              InterruptedExchange(
                began: $0, answer: storage.locks.answer, failure: storage.locks.note?.failure)
            }
            return .success(.acquired(InMemoryLock(vault: self, token: token, interrupted: earlier)))
          }
        }
      }
      switch locked {
      case .success(let locked): return locked
      case .failure(let busy):
        guard let release = busy.release, await release.value() != nil else {
          return .busy(VaultError("Another store holds the lock."))
        }
      }
    }
  }

  /// Whether a store was killed during an exchange of the token.
  public func isInterrupted(_ token: SessionToken) async -> Bool {
    storage.withLock { storage in
      guard let note = storage.locks.note, note.mark == token.bytes else { return false }
      return note.state == .begun && (!storage.locks.isHeld || storage.locks.isHolderDead)
    }
  }

  fileprivate func unlock() {
    let waiters = storage.withLock { storage in
      (storage.locks.isHeld, storage.locks.isHolderDead) = (false, false)
      defer { storage.locks.waiters = [] }
      return storage.locks.waiters
    }
    for waiter in waiters { waiter.fulfil(()) }
  }
}

private struct Busy: Error {
  let release: Promise<Void>?
}

/// A lock that lasts until it is released, or until the test kills its holder.
private struct InMemoryLock: ExchangeLock {
  let vault: InMemoryVault
  let token: SessionToken
  let interrupted: InterruptedExchange?

  func begin() async throws(VaultError) -> ExchangeRecorder? {
    try await vault.write(.begin) { storage in
      storage.locks.answer = nil
      storage.locks.note = ExchangeNote(mark: token.bytes, began: storage.locks.now())
    }
    return nil
  }

  func release(_ end: ExchangeEnd) async throws(VaultError) -> Bool {
    defer { vault.unlock() }
    return try await vault.write(.release) { storage -> Result<Bool, VaultError> in
      if case .replaced = end, let failure = storage.releaseFailure { return .failure(failure) }
      if case .replaced(let new, let details) = end {
        guard storage.content == .token(token) else { return .success(false) }
        (storage.content, storage.details) = (.token(new), details)
      }
      let now = storage.locks.now()
      let note = storage.locks.note ?? ExchangeNote(mark: token.bytes, began: now)
      storage.locks.note = note.ended(end, interrupted: interrupted?.began, at: now)
      return .success(true)
    }.get()
  }
}
