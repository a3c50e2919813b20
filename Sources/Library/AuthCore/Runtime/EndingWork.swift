import ConcurrencyKit

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
    var tokens = targets.tokens
    // Another process may have exchanged the token, and this one is then spent.
    if spendsTokens, let newer = await newestToken(of: endingSession), !tokens.contains(newer) {
      tokens = [newer] + tokens.dropFirst()
    }
    let failures = await revokeAll(tokens, of: endingSession, reason, wait: timing.logoutStep / 2)
    send(.revoked(epoch, failures.allSatisfy(\.isUnsupported)), failures)
  }

  /// Revokes tokens of a session, the newest first, and what was granted for it and not saved.
  private func revokeAll(
    _ tokens: [SessionToken], of session: SessionID?, _ reason: EndReason, wait: Duration
  ) async -> [Unavailability] {
    var tokens = tokens
    let late = await result { () throws(Unavailability) in
      guard let first = tokens.first else { return }
      if let newer = try await interruptedToken(after: first, of: session, wait: wait) {
        tokens.insert(newer, at: 0)
      } else if withLock({ $0.unanswered.map(tokens.contains) ?? false }) {
        throw .answerLost
      }
    }
    // The authority granted this token, but the vault could not save it.
    let unsaved = spendsTokens ? withLock { $0.unsaved } : nil
    if let unsaved, tokens.contains(unsaved.old), !tokens.contains(unsaved.grant.token) {
      tokens.insert(unsaved.grant.token, at: 0)
    }
    // A token that is known but not saved is no lost answer.
    let unknown = unsaved != nil && late == .answerLost ? nil : late
    return await revoke(noted(tokens), reason) + [unknown, droppedTokens].compactMap(\.self)
  }

  func erase(_ epoch: Epoch, _ targets: Effect.Targets, _ ticket: VaultQueueTicket?) async {
    var failures: [Unavailability] = []
    let failure = await onVault(ticket) { () -> VaultError? in
      if let failure = await erasure(of: targets.tokens) { return failure }
      let lives = withLock { inner in targets.tokens.contains { inner.unrevoked.contains($0) } }
      // Where the old token still works, a session that lives on stays with the process that has
      // it.
      if spendsTokens || !lives, let failure = await eraseNewer(than: targets.tokens, of: endingSession, &failures) {
        return failure
      }
      switch await vault.load() {
      case .absent, .unavailable: return nil
      case .token:
        // Another process wrote it. If it belongs to this session, it died with the session, unless
        // the revocation failed.
        return lives ? .keepsAnother : nil
      case .corrupt(let evidence):
        if let token = evidence.salvaged, !targets.tokens.contains(token) { revokeInBackground(token, .userAsked) }
        return await settingAside()
      }
    }
    let left = IncompleteCleanup(notRevoked: !failures.allSatisfy(\.isUnsupported), notErased: failure != nil)
    send(.erased(epoch, left), failures, also: failure)
  }

  /// The token from the exchange of a process that died, whose request may still be under way.
  ///
  /// It is revoked and never saved.
  private func interruptedToken(
    after token: SessionToken, of session: SessionID?, wait: Duration
  ) async throws(Unavailability) -> SessionToken? {
    guard spendsTokens else { return nil }
    let isInterrupted = await vault.isInterrupted(token)
    // A live holder is not awaited: when it gets its answer, it finds no session, and revokes it.
    switch try? await vault.lockExchange(of: token, wait: isInterrupted ? wait : .zero) {
    case .changed?: return await newestToken(of: session)
    case .refused?, .failed?: return nil
    case .busy?, nil:
      guard isInterrupted else { return nil }
      throw Unavailability(.busy, "A program that has ended is still renewing the session.", hint: "Log out again.")
    case .acquired(let lock)?:
      let newer = recovered(token, lock)
      let isLost = lock.interrupted.map { $0.failure != .refused } ?? false
      // A lock that is not released ends with the process.
      _ = try? await lock.release(.unsent)
      if isLost, newer == nil, !isRefused(token, lock) { throw .answerLost }
      return newer
    }
  }

  /// A failure for the tokens that were dropped, because too many could not be revoked.
  private var droppedTokens: Unavailability? {
    let count = withLock { inner in
      defer { inner.dropped = 0 }
      return inner.dropped
    }
    guard count > 0 else { return nil }
    return Unavailability(.busy, "\(count) more tokens could not be revoked. They expire by themselves.")
  }

  /// The session of the logout under way.
  private var endingSession: SessionID? { withLock { $0.gate?.record.grant.id } }

  /// Revokes and erases what exchanges that were under way saved for a session that has ended.
  ///
  /// - Parameters:
  ///   - known: The tokens that were erased already. A vault that keeps one of them without an
  ///     error does so on purpose, such as that of a command that only looks.
  ///   - session: The session.
  ///   - failures: Gets the failures of the revocations.
  /// - Returns: Why the vault still holds a token of the session, if it does.
  private func eraseNewer(
    than known: [SessionToken], of session: SessionID?, _ failures: inout [Unavailability]
  ) async -> VaultError? {
    // An exchange that ends after an erasure finds that the session is gone, and saves nothing.
    for _ in 1...Self.mostReads {
      guard let newer = await newestToken(of: session), !known.contains(newer) else { return nil }
      if let failure = await erasure(of: [newer]) { return failure }
      if await newestToken(of: session) == newer { return .keepsAnother }
      if let failure = await revoke(newer, .userAsked) { failures.append(failure) }
    }
    return .keepsAnother
  }

  /// Revokes and erases any token in the vault.
  ///
  /// The revocation does not block the vault queue. It gets half of the step's time, so that the
  /// token is erased from the device even if the authority never answers.
  func forget(_ epoch: Epoch, _ ticket: VaultQueueTicket?) async {
    let reading = await onVault(ticket) { await vault.load() }
    let session: SessionID? = if case .token(_, let details) = reading { details.session } else { nil }
    let tokens = noted([reading.legibleToken].compactMap(\.self))
    let limit = timing.logoutStep / 2
    let late = Unavailability(.busy, "the authority did not answer a revocation within \(limit)")
    var failures =
      tokens.isEmpty
      ? [] : await inTime(limit) { await self.revokeAll(tokens, of: session, .userAsked, wait: limit / 2) } ?? [late]
    var left = IncompleteCleanup()
    let failure: VaultError?
    switch reading {
    case .absent: failure = nil
    case .token(let token, _):
      failure = await onVault(nil) {
        if let failure = await erasure(of: [token]) { return failure }
        if !spendsTokens, withLock({ $0.unrevoked.contains(token) }) { return nil }
        return await eraseNewer(than: [], of: session, &failures)
      }
    case .corrupt: failure = await onVault(nil) { await settingAside() }
    case .unavailable(let unreadable): (failure, left.notRevoked) = (unreadable, true)
    }
    if !failures.allSatisfy(\.isUnsupported) { left.notRevoked = true }
    left.notErased = failure != nil
    send(.erased(epoch, left), failures, also: failure)
  }

  func discardSaved(_ token: SessionToken, _ ticket: VaultQueueTicket?) async {
    // No caller waits for this. If the token stays in the vault, the authority refuses it at the
    // next launch, because it is revoked here.
    _ = await onVault(ticket) { await erasure(of: [token]) }
    await revoke(token, .userAsked)
  }

  /// Retries failed revocations in the background.
  func retryRevocations() {
    for token in withLock({ $0.unrevoked }) { revokeInBackground(token, .userAsked) }
  }

  /// Revokes a token in the background: an authority that does not answer must not block other
  /// work.
  func revokeInBackground(_ token: SessionToken, _ reason: EndReason) {
    start { await self.revoke(token, reason) }
  }

  /// Notes tokens that are about to be revoked, because that may exceed its time limit.
  ///
  /// - Returns: These, and the tokens that earlier work could not revoke.
  private func noted(_ tokens: [SessionToken]) -> [SessionToken] {
    withLock { inner in
      inner.unrevoked = tokens + inner.unrevoked.filter { !tokens.contains($0) }
      return inner.unrevoked
    }
  }

  private func revoke(_ tokens: [SessionToken], _ reason: EndReason) async -> [Unavailability] {
    var failures: [Unavailability] = []
    // Those of the session first; the others at the same time, because they may be many.
    for token in tokens.prefix(4) {
      if let failure = await revoke(token, reason) { failures.append(failure) }
    }
    guard tokens.count > 4 else { return failures }
    return await withTaskGroup(of: Unavailability?.self) { group in
      for (index, token) in tokens.dropFirst(4).enumerated() {
        if index >= Self.mostRevocations, let failure = await group.next() { failures += [failure].compactMap(\.self) }
        group.addTask { await self.revoke(token, reason) }
      }
      for await failure in group { failures += [failure].compactMap(\.self) }
      return failures
    }
  }

  /// The most tokens that are revoked at the same time.
  private static var mostRevocations: Int { 8 }
  /// The most tokens that are kept for another try.
  private static var mostUnrevoked: Int { 64 }

  /// Revokes a token; after a failure that may pass, keeps it for the next logout.
  @discardableResult
  func revoke(_ token: SessionToken, _ reason: EndReason) async -> Unavailability? {
    let failure = await result { () throws(Unavailability) in try await authority.revoke(token, reason: reason) }
    withLock { inner in
      inner.unrevoked.removeAll { $0 == token }
      guard let failure, !failure.isUnsupported else { return }
      inner.unrevoked.append(token)
      if inner.unrevoked.count > Self.mostUnrevoked {
        inner.unrevoked.removeFirst()
        inner.dropped += 1
      }
    }
    return failure
  }

  /// Sends the end of a step with its failures.
  private func send(_ event: SessionEvent, _ failures: [Unavailability] = [], also other: VaultError? = nil) {
    let causes = failures.filter { !$0.isUnsupported }.map(\.description) + [other?.description].compactMap(\.self)
    send(event, causes: causes, cannotRevoke: failures.contains(where: \.isUnsupported))
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

extension Unavailability {
  /// A logout after an exchange whose answer was lost: the authority may have granted a token that
  /// nobody knows, and its end is not certain.
  fileprivate static let answerLost = Unavailability(
    .busy, "The answer to the last renewal was lost, so it is not known whether the session has ended there.",
    hint: "It expires there by itself. To be certain, end it in your account there.")
  fileprivate var isUnsupported: Bool { cause == .unsupported }
}

extension Effect.Targets {
  var tokens: [SessionToken] { [token, pending].compactMap(\.self) }
}
