// The work that ends sessions; what begins and renews them is in SessionWork.swift.
extension SessionCore {
  func drain(_ epoch: Epoch) async {
    // A lease of an earlier session may have outlived that one's logout; this one is not complete while it runs.
    for gate in withLock({ $0.gates }) { await gate.drained().valueUncancelled() }
    send(.drained(epoch))
  }

  func revoke(_ epoch: Epoch, _ targets: Effect.Targets, _ reason: EndReason) async {
    // Those that an earlier logout left behind, too. They are noted until the authority has said that they are dead: this step may be
    // overtaken by its time limit.
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
    send(.revoked(epoch, failures.isEmpty)) { reaction, inner in
      if reaction.isTransition { inner.awaited.causes += failures.map(\.description) }
    }
  }

  func erase(_ epoch: Epoch, _ targets: Effect.Targets, _ ticket: VaultQueueTicket?) async {
    let failure = await onVault(ticket) { () -> VaultError? in
      if let failure = await erasure(of: targets.tokens) { return failure }
      switch await vault.load() {
      case .absent, .unavailable: return nil
      case .token:
        // Another process put it there. If it belongs to this session, it died with it, unless that could not be said to the authority.
        return withLock { inner in targets.tokens.contains { inner.unrevoked.contains($0) } } ? .keepsAnother : nil
      case .corrupt(let evidence):
        if let token = evidence.salvaged, !targets.tokens.contains(token) { revokeInBackground(token, .userAsked) }
        return await result { () throws(VaultError) in try await vault.setAside() }
      }
    }
    finishErasing(epoch, IncompleteCleanup(notErased: failure != nil), [failure?.description])
  }

  /// The revocation does not hold up the line before the vault, and gets half of the step's time, so that an authority that never
  /// answers does not keep the token on the device.
  func forget(_ epoch: Epoch, _ ticket: VaultQueueTicket?) async {
    let reading = await onVault(ticket) { await vault.load() }
    let tokens = withLock { $0.unrevoked } + reading.revocable
    let unrevoked = await revocationsInTime(of: tokens)
    let failure: VaultError?
    switch reading {
    case .absent: failure = nil
    case .token(let token): failure = await onVault(nil) { await erasure(of: [token]) }
    case .corrupt:
      failure = await onVault(nil) { await result { () throws(VaultError) in try await vault.setAside() } }
    case .unavailable(let unreadable): failure = unreadable
    }
    withLock { inner in
      // Another one, which overran its time, may have noted tokens meanwhile.
      inner.unrevoked.removeAll { tokens.contains($0) }
      inner.unrevoked += unrevoked.map(\.token)
    }
    let left = IncompleteCleanup(notRevoked: !unrevoked.isEmpty || reading.isUnavailable, notErased: failure != nil)
    finishErasing(epoch, left, unrevoked.map(\.failure.description) + [failure?.description])
  }

  private func finishErasing(_ epoch: Epoch, _ left: IncompleteCleanup, _ causes: [String?]) {
    send(.erased(epoch, left)) { reaction, inner in
      if reaction.isTransition { inner.awaited.causes += causes.compactMap(\.self) }
    }
  }

  /// Revokes all of the tokens.
  ///
  /// - Returns: Those of which the authority did not say within half of the time of a step that they are dead.
  private func revocationsInTime(
    of tokens: [SessionToken]
  ) async -> [(token: SessionToken, failure: Unavailability)] {
    guard !tokens.isEmpty else { return [] }
    let unrevoked = Promise<[(token: SessionToken, failure: Unavailability)]>()
    Task.immediate {
      var failures: [(token: SessionToken, failure: Unavailability)] = []
      for token in tokens {
        if let failure = await revocation(of: token, .userAsked) { failures.append((token, failure)) }
      }
      unrevoked.fulfil(failures)
    }
    if let answer = unrevoked.kept { return answer }
    let limit = timing.logoutStep / 2
    let timer = Task {
      do {
        try await clock.sleep(for: limit)
      } catch {
        return  // Cancelled: the authority has answered.
      }
      let late = Unavailability(.busy, "the authority did not answer a revocation within \(limit)")
      unrevoked.fulfil(tokens.map { ($0, late) })
    }
    defer { timer.cancel() }
    return await unrevoked.valueUncancelled()
  }

  func discard(_ record: SessionRecord) async {
    await revokeUnawaited(record.grant.token, .userAsked)
  }

  func discardSaved(_ record: SessionRecord, _ ticket: VaultQueueTicket?) async {
    // Nobody waits for this; a token that stays in the vault is refused at the next launch, because it is revoked here.
    _ = await onVault(ticket) { await erasure(of: [record.grant.token]) }
    await revokeUnawaited(record.grant.token, .userAsked)
  }

  /// Revokes where nobody waits for the answer.
  ///
  /// A failure leaves a token that nothing else here holds; the next logout tries again.
  private func revokeUnawaited(_ token: SessionToken, _ reason: EndReason) async {
    let failure = await revocation(of: token, reason)
    withLock { inner in
      inner.unrevoked.removeAll { $0 == token }
      if failure != nil { inner.unrevoked.append(token) }
    }
  }

  /// Tries again to revoke what could not be revoked, without waiting for it.
  func retryRevocations() {
    for token in withLock({ $0.unrevoked }) { revokeInBackground(token, .userAsked) }
  }

  /// The same without waiting for it: an authority that does not answer must not hold up what goes on.
  func revokeInBackground(_ token: SessionToken, _ reason: EndReason) {
    Task.immediate { await revokeUnawaited(token, reason) }
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

  /// The error of an operation, or nil.
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

extension VaultReading {
  /// The token that a logout is to revoke.
  fileprivate var revocable: [SessionToken] {
    switch self {
    case .token(let token): [token]
    case .corrupt(let evidence): evidence.salvaged.map { [$0] } ?? []
    case .absent, .unavailable: []
    }
  }

  fileprivate var isUnavailable: Bool {
    switch self {
    case .unavailable: true
    case .absent, .token, .corrupt: false
    }
  }
}
