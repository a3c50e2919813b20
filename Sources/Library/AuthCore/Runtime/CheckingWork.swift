// The work that reads the saved session and checks it at the authority.
extension SessionCore {
  func read(_ epoch: Epoch, _ ticket: VaultQueueTicket?) async {
    let outcome = await findOut(ticket) { user in
      // Only a launch shows the user; a check already has a key.
      if withLock({ $0.machine.state.kind }) == .restoring { send(.recognized(epoch, user)) }
    }
    let failure: SessionError? =
      switch outcome {
      case .obstructed(let failure): SessionError(failure)
      case .found(let grant) where isRefused(grant.token): .unavailable(.contradiction)
      case .found, .absent, .ended: nil
      }
    send(.restored(epoch, outcome), failure: failure)
  }

  /// Whether the work under way was refused because another token had replaced this one.
  private func isRefused(_ token: SessionToken) -> Bool {
    guard case .renewing(let state) = withLock({ $0.machine.state }) else { return false }
    return state.step == .rereading && state.session.grant.token == token
  }

  /// Reads the vault and asks the authority.
  ///
  /// After a superseded token it reads again, because another process has changed the vault; but
  /// not without end.
  ///
  /// - Parameters:
  ///   - ticket: The place of the first read among the operations on the vault; nil for a new one.
  ///   - superseded: The token that the authority refused as replaced.
  ///   - reads: How often the vault was read before, in this work.
  ///   - recognize: Gets the user of the token, before the authority answers.
  /// - Returns: The result.
  func findOut(
    _ ticket: VaultQueueTicket?, after superseded: SessionToken? = nil, reads: Int = 0,
    recognize: (LastKnownUser) -> Void = { _ in }
  ) async -> SessionEvent.Restored {
    guard reads < Self.mostReads else { return .obstructed(.authority(.restless)) }
    let read = ticket ?? withLock { VaultQueueTicket(.read, &$0.lastVaultChange) }
    var reading = await read.run { await vault.load() }
    // A vault that misses the token once must not end an active session at the authority.
    if reading == .absent, withLock({ $0.machine.state.session != nil }) { reading = await vault.load() }
    if let cause = elsewhere(reading) { return .obstructed(.authority(cause)) }
    switch reading {
    case .absent: return .absent
    case .unavailable(let failure): return .obstructed(.vault(failure))
    case .corrupt(let evidence): return .obstructed(.corrupt(evidence))
    case .token(let token, let details):
      guard token != superseded else { return .ended(.revoked, token) }
      if let user = details.user { recognize(user) }
      if spendsTokens, let finished = await finish(token, reads) { return finished }
      do throws(AuthorityError<SessionRejection>) {
        let grant = try await authority.resume(token)
        if let answer = misanswer(grant, to: token) { return .obstructed(.authority(answer)) }
        guard let reason = grant.flaw(on: clock) else { return .found(grant.lending(details.accessToken)) }
        revokeInBackground(token, reason)
        return .ended(reason, token)
      } catch {
        switch error {
        case .rejected(let rejection) where spendsTokens:
          return await judge(token, rejection, reads)
        case .rejected(.ended(let reason)): return .ended(reason, token)
        case .rejected(.superseded):
          return await findOut(nil, after: token, reads: reads + 1, recognize: recognize)
        case .throttled: return .obstructed(.authority(.throttled))
        case .unavailable(let cause): return .obstructed(.authority(cause))
        }
      }
    }
  }

  /// The problem in an answer about a token, apart from its limits; nil if the answer can be used.
  private func misanswer(_ grant: Grant, to token: SessionToken) -> Unavailability? {
    // The new token is never used, so the vault's token still works. The new token is not revoked,
    // because that would end the session.
    guard grant.token == token else { return .otherToken }
    guard let known = withLock({ $0.machine.state.session })?.grant, known.token == token,
      !grant.isOfSameSession(as: known)
    else { return nil }
    return .otherSession
  }

  /// How often a step reads a vault that another process changes each time.
  static var mostReads: Int { 8 }
}

extension Unavailability {
  /// The vault holds another token at each read.
  static let restless = Unavailability(
    .busy, "Another process changed the saved session again and again.", hint: "Try again.")
  fileprivate static let contradiction = Unavailability(
    .unparsable, "The authority refused the token as replaced, and accepts it.", hint: "Try again in a minute.")
  fileprivate static let otherToken = Unavailability(
    .unparsable, "The authority answered with another token than it was asked about.",
    hint: "Try again; log in again if this goes on.")
}
