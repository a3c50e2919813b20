import ConcurrencyKit
import Guards

/// The claims of this process, for vaults that have none of their own.
///
/// One table serves all vaults, because a token names only one session. The vault is not part of
/// the key: two vault objects, such as those of two stores, may be views of one storage, and must
/// not both spend its token.
final class LocalClaims: Sendable {
  static let shared = LocalClaims()

  /// The error of a claim that another store of this process has.
  static let claimedHere = VaultError(
    "Another part of this program is renewing the session.", hint: "Try again; nothing was changed.")

  /// The claimed tokens, each with the callers that wait for the end of its claim.
  private let waiters = Locked<[SessionToken: [Promise<Claimed?>]]>([:])

  func claim(_ token: SessionToken, in vault: any SessionVault, wait: Duration) async -> Claimed {
    let deadline = ContinuousClock.now.advanced(by: wait)
    while true {
      let promise = waiters.withLock { waiters -> Promise<Claimed?>? in
        guard waiters[token] != nil else {
          waiters[token] = []
          return nil
        }
        let promise = Promise<Claimed?>()
        if wait > .zero { waiters[token]?.append(promise) }
        return promise
      }
      guard let promise else { break }
      guard wait > .zero else { return .busy(Self.claimedHere) }
      // A request that never ends must not block the vault queue, in which a save waits here.
      let timer = Task {
        try await Task.sleep(until: deadline, clock: .continuous)
        promise.fulfil(.busy(Self.claimedHere))
      }
      defer { timer.cancel() }
      guard let shared = await promise.value() else { return .busy(Self.claimedHere) }
      if let shared { return shared }
    }
    guard case .token(token, _) = await vault.load() else {
      end(token, nil)
      return .changed
    }
    return .mine(LocalClaim(token: token, vault: vault, claims: self))
  }

  /// Ends the claim of a token, and lets the callers that wait continue, or share its answer.
  fileprivate func end(_ token: SessionToken, _ shared: Claimed?) {
    let waiting = waiters.withLock { $0.removeValue(forKey: token) ?? [] }
    for waiter in waiting { waiter.fulfil(shared) }
  }
}

/// A claim that ends with this process.
private final class LocalClaim: ExchangeClaim {
  let interrupted: InterruptedExchange? = nil
  private let token: SessionToken
  private let vault: any SessionVault
  private let claims: LocalClaims
  private let settlement = Gatekeeper<Bool>()

  init(token: SessionToken, vault: any SessionVault, claims: LocalClaims) {
    (self.token, self.vault, self.claims) = (token, vault, claims)
  }

  deinit { end(nil) }

  func begin() async throws(VaultError) -> ExchangeRecorder? { nil }

  func settle(_ end: ExchangeEnd) async throws(VaultError) -> Bool {
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

  private func end(_ shared: Claimed?) {
    if settlement.attemptPassage() { claims.end(token, shared) }
  }
}
