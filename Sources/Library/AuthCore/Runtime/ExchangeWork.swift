import ConcurrencyKit

// The work that exchanges the token of a session under a lock, for an authority that spends the
// old token when it grants a new one.
extension SessionCore {
  var spendsTokens: Bool { authority.exchange == .spendsOld }

  /// The longest wait for the lock of another store: a request of its holder may take long.
  var lockWait: Duration { timing.renewalStep * 5 / 6 }

  func renewLocked(_ record: SessionRecord) async -> Answered {
    let token = record.grant.token
    do throws(VaultError) {
      switch try await vault.lockExchange(of: token, wait: lockWait) {
      case .changed: return (.superseded, nil)
      case .busy(let holder): return (.failed, .vault(holder))
      case .refused(let reason): return (.ended(reason), nil)
      case .failed(let cause): return (.failed, cause.failure)
      case .acquired(let lock):
        let end = try await exchange(token, of: record.grant, under: lock)
        // The machine confirms only another token.
        if case .replaced(let grant) = end, grant.token == token {
          executor.start { await self.confirm(record.continued(by: grant)) }
        }
        return answered(end, record, ifSuperseded: nil)
      }
    } catch {
      return (.failed, .vault(error))
    }
  }

  /// Asks the authority under a lock, so that no other store spends the token meanwhile.
  ///
  /// The lock is that of the newest token: another process may have exchanged this one long ago.
  func askLocked(_ record: SessionRecord, _ ask: (SessionToken) async -> Answered) async -> Answered {
    var token = record.grant.token
    // A login may lift what the authority refuses to renew.
    var isRefused = false
    var wait = lockWait
    do throws(VaultError) {
      for _ in 1...Self.mostReads {
        let locked: ExchangeLockResult
        do throws(VaultError) {
          locked = try await vault.lockExchange(of: token, wait: wait)
        } catch {
          return (.failed, .vault(error))
        }
        switch locked {
        case .changed:
          guard let newer = await newestToken(of: record.grant.id), newer != token else {
            return (.superseded, .overtaken)
          }
          token = newer
        case .busy(let holder): return (.failed, .vault(holder))
        case .refused(let reason): return (.ended(reason), nil)
        // The pause after a failure is for renewals, and this may be a new login.
        case .failed(let cause) where cause.isUnsent && wait > .zero: wait = .zero
        case .failed(let cause): return (.failed, cause.failure)
        case .acquired(let lock) where !isRefused && lock.interrupted != nil || hasUnsaved(token):
          // This token may be spent: save the one that replaced it, and lock that.
          let end = try await exchange(token, of: record.grant, under: lock)
          switch end {
          case .replaced(let grant): token = grant.token
          case .failed(.unavailable(let cause)) where cause.cause == .refused: isRefused = true
          case .vanished, .ended, .notSaved, .failed: return answered(end, record, ifSuperseded: .overtaken)
          }
        case .acquired(let lock):
          let answered = await ask(token)
          guard case .granted(let grant) = answered.answer, grant.token != token else {
            _ = try await lock.release(.unsent)
            return answered
          }
          return try await save(lock, grant, insteadOf: token) ? answered : (.superseded, .overtaken)
        }
      }
      return (.failed, .unavailable(.restless))
    } catch {
      return (.failed, .notSaved(error))
    }
  }

  /// Finishes the exchange of a saved token that a process began and never finished, or whose new
  /// token this one could not save; nil if there is none, or if the authority gave no answer.
  ///
  /// The request of a process that died may still be under way; its answer is awaited.
  func finish(_ token: SessionToken, _ reads: Int) async -> SessionEvent.Restored? {
    guard await vault.isInterrupted(token) || hasUnsaved(token) else { return nil }
    do throws(VaultError) {
      switch try await vault.lockExchange(of: token, wait: lockWait) {
      case .changed: return await findOut(nil, reads: reads + 1)
      case .busy(let holder): return .obstructed(.vault(holder))
      case .refused(let reason): return .ended(reason, token)
      case .failed: return nil
      case .acquired(let lock): return try await finish(token, lock)
      }
    } catch {
      return .obstructed(.vault(error))
    }
  }

  private func finish(
    _ token: SessionToken, _ lock: any ExchangeLock
  ) async throws(VaultError) -> SessionEvent.Restored? {
    switch try await exchange(token, of: nil, under: lock) {
    case .replaced(let grant):
      guard let reason = grant.flaw(on: clock) else { return .found(grant) }
      revokeInBackground(grant.token, reason)
      return .ended(reason, grant.token)
    case .vanished: return .absent
    case .ended(let reason): return .ended(reason, token)
    case .notSaved(let failure): return .obstructed(.vault(failure))
    case .failed: return nil
    }
  }

  /// Decides about a saved token that the authority refused.
  ///
  /// Another process may just be exchanging it. Only under the lock is it the newest one, and only
  /// then has the session ended.
  func judge(_ token: SessionToken, _ rejection: SessionRejection, _ reads: Int) async -> SessionEvent.Restored {
    do throws(VaultError) {
      switch try await vault.lockExchange(of: token, wait: lockWait) {
      case .changed: return await findOut(nil, reads: reads + 1)
      case .busy(let holder): return .obstructed(.vault(holder))
      case .refused(let reason): return .ended(reason, token)
      case .failed(let cause): return .obstructed(.authority(cause))
      case .acquired(let lock) where lock.interrupted != nil:
        return try await finish(token, lock) ?? .obstructed(.authority(.late))
      case .acquired(let lock):
        let reason = if case .ended(let ended) = rejection { ended } else { EndReason.revoked }
        _ = try await lock.release(.refused(reason))
        return .ended(reason, token)
      }
    } catch {
      return .obstructed(.vault(error))
    }
  }

  /// The token in the vault, if it belongs to a session.
  func newestToken(of session: SessionID?) async -> SessionToken? {
    guard let session, case .token(let token, let details) = await vault.load(), details.session == session else {
      return nil
    }
    return token
  }

  // MARK: Under the lock

  /// The end of an exchange.
  private enum Exchanged {
    /// The vault holds the token of this grant.
    case replaced(Grant)
    /// The vault no longer held the old token. The new one is revoked.
    case vanished
    case ended(EndReason)
    case notSaved(VaultError)
    case failed(AuthorityError<SessionRejection>)
  }

  /// The answer to the work that an exchange was part of.
  private func answered(_ end: Exchanged, _ record: SessionRecord, ifSuperseded failure: SessionError?) -> Answered {
    switch end {
    case .replaced(let grant): granted(grant, record)
    case .vanished: (.superseded, failure)
    case .ended(let reason): (.ended(reason), nil)
    case .notSaved(let failure): (.failed, .notSaved(failure))
    case .failed(let error): error.unchecked.map { (.failed, $0) } ?? (.superseded, failure)
    }
  }

  /// Whether the token was exchanged for one that could not be saved yet.
  private func hasUnsaved(_ token: SessionToken) -> Bool { withLock { $0.unsaved?.old == token } }

  /// Exchanges the token, and saves the new one before anything else.
  private func exchange(
    _ token: SessionToken, of known: Grant?, under lock: any ExchangeLock
  ) async throws(VaultError) -> Exchanged {
    var answer: Result<Grant, AuthorityError<SessionRejection>>
    do throws(VaultError) {
      answer = try await self.answer(token, lock)
    } catch {
      _ = try await lock.release(.unsent)
      throw error
    }
    if case .success(let grant) = answer {
      if let known, !grant.isOfSameSession(as: known) {
        _ = try await lock.release(.unknown(.otherSession))
        if grant.token != token { revokeInBackground(grant.token, .revoked) }
        return .failed(.unavailable(.otherSession))
      }
      do throws(VaultError) {
        return try await save(lock, grant, insteadOf: token) ? .replaced(grant) : .vanished
      } catch {
        return .notSaved(error)
      }
    }
    if case .failure(.unavailable(let cause)) = answer, cause.cause == .refused, let earlier = lock.interrupted {
      if earlier.failure == nil {
        // After an answer that was lost, the refusal of the old token is what follows.
        answer = .failure(.rejected(.ended(.revoked)))
      } else if let now = try? clock.now(), earlier.wasRefused(before: now) {
        answer = .failure(
          .unavailable(.loginNeeded("The authority refuses to renew the session, and does not say why.")))
      }
    }
    let end = ExchangeEnd(answer, interrupted: lock.interrupted?.began)
    if case .unknown(let cause) = end, !cause.isUnsent, cause.cause != .refused { withLock { $0.unanswered = token } }
    _ = try await lock.release(end)
    if case .refused(let reason) = end { return .ended(reason) }
    guard case .failure(let error) = answer else { preconditionFailure("a grant was settled above") }
    return .failed(error)
  }

  /// The answer of an earlier exchange, if it is known; otherwise that of a request.
  ///
  /// A grant that could not be saved several times is exchanged for another one: perhaps the vault
  /// has no room for a token so long, and would block every later renewal.
  private func answer(
    _ token: SessionToken, _ lock: any ExchangeLock
  ) async throws(VaultError) -> Result<Grant, AuthorityError<SessionRejection>> {
    if let unsaved = withLock({ $0.unsaved }), unsaved.old == token {
      if unsaved.failures < Self.mostSaves { return .success(unsaved.grant) }
      let recorder = try await lock.begin()
      return await Result { () async throws(AuthorityError<SessionRejection>) in
        try await authority.renew(unsaved.grant.token, recorder: recorder)
      }
    }
    do throws(AuthorityError<SessionRejection>) {
      if let interrupted = lock.interrupted, interrupted.answer != nil,
        let grant = try authority.recover(token, interrupted)
      {
        return .success(grant)
      }
    } catch {
      return .failure(error)
    }
    let recorder = try await lock.begin()
    return await Result { () async throws(AuthorityError<SessionRejection>) in
      try await authority.renew(token, recorder: recorder)
    }
  }

  /// How often the store tries to save a grant.
  private static var mostSaves: Int { 3 }

  /// The token that the authority granted in an interrupted exchange, as far as its answer was
  /// recorded.
  func recovered(_ token: SessionToken, _ lock: any ExchangeLock) -> SessionToken? {
    lock.interrupted.flatMap { try? authority.recover(token, $0) }?.token
  }

  /// Whether an interrupted exchange has a recorded answer that granted nothing.
  func isRefused(_ token: SessionToken, _ lock: any ExchangeLock) -> Bool {
    guard let interrupted = lock.interrupted else { return false }
    do {
      _ = try authority.recover(token, interrupted)
      return false
    } catch {
      return true
    }
  }

  /// Saves the token of a grant, and revokes it if the session is no longer in the vault.
  private func save(
    _ lock: any ExchangeLock, _ grant: Grant, insteadOf old: SessionToken
  ) async throws(VaultError) -> Bool {
    let isSaved: Bool
    do throws(VaultError) {
      isSaved = try await lock.release(.replaced(by: grant.token, TokenDetails(grant)))
    } catch {
      // The old token is spent, so the next holder saves this one. After a logout there is none.
      let isOver = withLock { inner in
        if inner.hasEnded(grant.id) { return true }
        let earlier = inner.unsaved.map { $0.grant.token == grant.token ? $0.failures : 0 } ?? 0
        inner.unsaved = (old, grant, earlier + 1)
        return false
      }
      if isOver { revokeInBackground(grant.token, .userAsked) }
      throw error
    }
    withLock { ($0.unsaved, $0.unanswered) = (nil, nil) }
    if isSaved {
      withLock { $0.settled = grant.token }
    } else {
      revokeInBackground(grant.token, .userAsked)
    }
    return isSaved
  }
}

extension SessionCore.Inner {
  /// Whether a session has ended here, so that nobody will ask for its token.
  fileprivate func hasEnded(_ session: SessionID) -> Bool {
    switch machine.state {
    case .loggedOut, .loggingOut: true
    case .challenged, .loggedIn, .renewing: machine.state.session.map { $0.grant.id != session } ?? true
    // A launch or a login before one: the vault still holds the old token.
    case .restoring, .authenticating: false
    }
  }
}
