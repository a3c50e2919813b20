import Guards

// The work that ends sessions. SessionWork.swift begins and renews them; SavingWork.swift saves
// them.
extension SessionCore {
  func drain(_ epoch: Epoch) async {
    // This includes the leases of earlier sessions that outlived their logout: this logout is not
    // complete while one of them is running.
    for gate in withLock({ $0.gates }) { await gate.drained.valueUncancelled() }
    send(.drained(epoch))
  }

  func revoke(_ epoch: Epoch, _ targets: Effect.Targets, _ reason: EndReason) async {
    // This includes the remaining tokens of an earlier logout. The store keeps each token until the
    // authority confirms that it is dead, because this step may exceed its time limit.
    let tokens = withLock { inner -> [SessionToken] in
      inner.unrevoked = targets.tokens + inner.unrevoked.filter { !targets.tokens.contains($0) }
      return inner.unrevoked
    }
    var failures: [Unavailability] = []
    for token in tokens {
      if let failure = await revocation(of: token, reason) {
        failures.append(failure)
      } else {
        withLock { $0.unrevoked.removeAll { $0 == token } }
      }
    }
    send(.revoked(epoch, failures.isEmpty), causes: failures.map(\.description))
  }

  func erase(_ epoch: Epoch, _ targets: Effect.Targets, _ ticket: VaultQueueTicket?) async {
    let failure = await onVault(ticket) { () -> VaultError? in
      if let failure = await erasure(of: targets.tokens) { return failure }
      switch await vault.load() {
      case .absent, .unavailable: return nil
      case .token:
        // Another process wrote it. If it belongs to this session, it died with the session, unless
        // the revocation failed.
        return withLock { inner in targets.tokens.contains { inner.unrevoked.contains($0) } } ? .keepsAnother : nil
      case .corrupt(let evidence):
        if let token = evidence.salvaged, !targets.tokens.contains(token) { revokeInBackground(token, .userAsked) }
        return await settingAside()
      }
    }
    send(.erased(epoch, IncompleteCleanup(notErased: failure != nil)), causes: failure.map { [$0.description] } ?? [])
  }

  /// Revokes and erases any token in the vault.
  ///
  /// The revocation does not block the vault queue. It gets half of the step's time, so that the
  /// token is erased from the device even if the authority never answers.
  func forget(_ epoch: Epoch, _ ticket: VaultQueueTicket?) async {
    let reading = await onVault(ticket) { await vault.load() }
    let tokens = withLock { $0.unrevoked } + [reading.legibleToken].compactMap(\.self)
    let unrevoked = await revocationsInTime(of: tokens)
    var left = IncompleteCleanup(notRevoked: !unrevoked.isEmpty)
    let failure: VaultError?
    switch reading {
    case .absent: failure = nil
    case .token(let token, _): failure = await onVault(nil) { await erasure(of: [token]) }
    case .corrupt: failure = await onVault(nil) { await settingAside() }
    case .unavailable(let unreadable): (failure, left.notRevoked) = (unreadable, true)
    }
    left.notErased = failure != nil
    withLock { inner in
      // Another step that exceeded its time may have added tokens meanwhile.
      inner.unrevoked.removeAll { tokens.contains($0) }
      inner.unrevoked += unrevoked.map(\.token)
    }
    let causes = unrevoked.map(\.failure.description) + [failure?.description].compactMap(\.self)
    send(.erased(epoch, left), causes: causes)
  }

  /// Revokes all of the tokens.
  ///
  /// - Returns: The tokens that the authority did not confirm as dead within half the time of a
  ///   step.
  private func revocationsInTime(
    of tokens: [SessionToken]
  ) async -> [(token: SessionToken, failure: Unavailability)] {
    guard !tokens.isEmpty else { return [] }
    let limit = timing.logoutStep / 2
    let failures = await inTime(limit) {
      var failures: [(token: SessionToken, failure: Unavailability)] = []
      for token in tokens {
        if let failure = await self.revocation(of: token, .userAsked) { failures.append((token, failure)) }
      }
      return failures
    }
    let late = Unavailability(.busy, "the authority did not answer a revocation within \(limit)")
    return failures ?? tokens.map { ($0, late) }
  }

  func discardSaved(_ token: SessionToken, _ ticket: VaultQueueTicket?) async {
    // No caller waits for this. If the token stays in the vault, the authority refuses it at the
    // next launch, because it is revoked here.
    _ = await onVault(ticket) { await erasure(of: [token]) }
    await revokeUnawaited(token, .userAsked)
  }

  /// Revokes a token when no caller waits for the answer.
  ///
  /// After a failure, the store keeps the token, and the next logout tries again.
  func revokeUnawaited(_ token: SessionToken, _ reason: EndReason) async {
    let failure = await revocation(of: token, reason)
    withLock { inner in
      inner.unrevoked.removeAll { $0 == token }
      if failure != nil { inner.unrevoked.append(token) }
    }
  }

  /// Retries failed revocations in the background.
  func retryRevocations() {
    for token in withLock({ $0.unrevoked }) { revokeInBackground(token, .userAsked) }
  }

  /// Revokes a token in the background: an authority that does not answer must not block other
  /// work.
  func revokeInBackground(_ token: SessionToken, _ reason: EndReason) {
    place.start { await self.revokeUnawaited(token, reason) }
  }

  private func revocation(of token: SessionToken, _ reason: EndReason) async -> Unavailability? {
    await result { () throws(Unavailability) in try await authority.revoke(token, reason: reason) }
  }

  private func erasure(of tokens: [SessionToken]) async -> VaultError? {
    var failure: VaultError?
    for token in tokens {
      failure = await result { () throws(VaultError) in try await vault.erase(token) } ?? failure
    }
    return failure
  }

  private func settingAside() async -> VaultError? {
    await result { () throws(VaultError) in try await vault.setAside() }
  }

  /// Runs an operation and returns its error, or nil.
  private func result<Value, Failure: Error>(_ operation: () async throws(Failure) -> Value) async -> Failure? {
    do {
      _ = try await operation()
      return nil
    } catch {
      return error
    }
  }
}

extension VaultError {
  fileprivate static let keepsAnother = VaultError(
    "The vault keeps a token that another process put there, and it may still work.", hint: "Log out again.")
}

extension Effect.Targets {
  var tokens: [SessionToken] { [token, pending].compactMap(\.self) }
}
