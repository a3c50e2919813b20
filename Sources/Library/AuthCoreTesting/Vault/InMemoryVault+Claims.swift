public import AuthCore
import ConcurrencyKit

extension InMemoryVault {
  /// The claim under way and what its exchange left behind.
  struct Claims {
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

  /// Makes the holder of the claim stop: other claims are answered with `busy`, until false.
  public func stopHolder(_ isStopped: Bool) {
    storage.withLock { $0.claims.isHolderStopped = isStopped }
  }

  /// Makes it fail to save the result of an exchange; with nil, that works again.
  public func failSettling(_ failure: VaultError?) {
    storage.withLock { $0.settleFailure = failure }
  }

  /// Kills the process that has the claim, but not its request, which keeps the claim until
  /// ``killHolder(answer:)``.
  public func killHolderDuringRequest() {
    storage.withLock { $0.claims.isHolderDead = true }
  }

  /// Ends the claim under way, as if its process were killed.
  ///
  /// - Parameter answer: The answer that the program with the request wrote down; nil for none.
  public func killHolder(answer: [UInt8]? = nil) {
    storage.withLock { $0.claims.answer = answer }
    releaseClaim()
  }

  /// Claims the token among all stores on this vault.
  public func claim(_ token: SessionToken, wait: Duration) async throws(VaultError) -> Claimed {
    var waiting: BootInstant?
    while true {
      let claimed = await turnstile.pass(.claim) {
        storage.withLock { storage -> Result<Claimed, Busy> in
          guard !storage.claims.isHeld else {
            if waiting == nil { waiting = storage.claims.now() }
            guard !storage.claims.isHolderStopped, wait > .zero else { return .failure(Busy(release: nil)) }
            let release = Promise<Void>()
            storage.claims.waiters.append(release)
            return .failure(Busy(release: release))
          }
          let saved: [UInt8]? = if case .token(let saved) = storage.content { saved.bytes } else { nil }
          switch ExchangeNote.decide(token.bytes, saved: saved, note: storage.claims.note, waiting: waiting) {
          case .changed: return .success(.changed)
          case .refused(let reason): return .success(.refused(reason))
          case .failed(let cause): return .success(.failed(cause))
          case .mine(let interrupted):
            storage.claims.isHeld = true
            let earlier = interrupted.map {
              InterruptedExchange(
                began: $0, answer: storage.claims.answer, failure: storage.claims.note?.failure)
            }
            return .success(.mine(InMemoryClaim(vault: self, token: token, interrupted: earlier)))
          }
        }
      }
      switch claimed {
      case .success(let claimed): return claimed
      case .failure(let busy):
        guard let release = busy.release, await release.value() != nil else {
          return .busy(VaultError("Another store holds the claim."))
        }
      }
    }
  }

  /// Whether a store was killed during an exchange of the token.
  public func isInterrupted(_ token: SessionToken) async -> Bool {
    storage.withLock { storage in
      guard let note = storage.claims.note, note.mark == token.bytes else { return false }
      return note.state == .begun && (!storage.claims.isHeld || storage.claims.isHolderDead)
    }
  }

  fileprivate func releaseClaim() {
    let waiters = storage.withLock { storage in
      (storage.claims.isHeld, storage.claims.isHolderDead) = (false, false)
      defer { storage.claims.waiters = [] }
      return storage.claims.waiters
    }
    for waiter in waiters { waiter.fulfil(()) }
  }
}

private struct Busy: Error {
  let release: Promise<Void>?
}

/// A claim that lasts until it is settled, or until the test kills its holder.
private struct InMemoryClaim: ExchangeClaim {
  let vault: InMemoryVault
  let token: SessionToken
  let interrupted: InterruptedExchange?

  func begin() async throws(VaultError) -> ExchangeRecorder? {
    try await vault.write(.begin) { storage in
      storage.claims.answer = nil
      storage.claims.note = ExchangeNote(mark: token.bytes, began: storage.claims.now())
    }
    return nil
  }

  func settle(_ end: ExchangeEnd) async throws(VaultError) -> Bool {
    defer { vault.releaseClaim() }
    return try await vault.write(.settle) { storage -> Result<Bool, VaultError> in
      if case .replaced = end, let failure = storage.settleFailure { return .failure(failure) }
      if case .replaced(let new, let details) = end {
        guard storage.content == .token(token) else { return .success(false) }
        (storage.content, storage.details) = (.token(new), details)
      }
      let now = storage.claims.now()
      let note = storage.claims.note ?? ExchangeNote(mark: token.bytes, began: now)
      storage.claims.note = note.ended(end, interrupted: interrupted?.began, at: now)
      return .success(true)
    }.get()
  }
}
