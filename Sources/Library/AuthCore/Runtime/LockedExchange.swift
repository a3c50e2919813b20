import ConcurrencyKit

// One exchange of a token, under the lock that the caller has.
extension SessionCore {
  /// The end of an exchange.
  enum Exchanged {
    /// The vault holds the token of this grant.
    case replaced(Grant)
    /// The vault no longer held the old token. The new one is revoked.
    case vanished
    case ended(EndReason)
    case notSaved(VaultError)
    case failed(AuthorityError<SessionRejection>)
  }

  /// The answer to the work that an exchange was part of.
  func answered(_ end: Exchanged, _ record: SessionRecord, ifSuperseded failure: SessionError?) -> Answered {
    switch end {
    case .replaced(let grant): granted(grant, record)
    case .vanished: (.superseded, failure)
    case .ended(let reason): (.ended(reason), nil)
    case .notSaved(let failure): (.failed, .notSaved(failure))
    case .failed(let error): error.unchecked.map { (.failed, $0) } ?? (.superseded, failure)
    }
  }

  /// Whether the token was exchanged for one that could not be saved yet.
  func hasUnsaved(_ token: SessionToken) -> Bool { withLock { $0.unsaved?.old == token } }

  /// Exchanges the token, and saves the new one before anything else.
  func exchange(
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
  func save(
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
