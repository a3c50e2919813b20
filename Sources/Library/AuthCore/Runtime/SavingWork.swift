import ConcurrencyKit
import Guards

// The work that saves a token in the vault and confirms that to the authority.
extension SessionCore {
  /// Saves the token of a grant in queue order: in place of any content, or only of `old`.
  ///
  /// It undoes a write that failed or came too late. After the time limit, a failure has already
  /// been reported.
  func save(
    _ epoch: Epoch, _ grant: Grant, insteadOf old: SessionToken?, _ ticket: VaultQueueTicket?, _ end: Gatekeeper<Bool>
  ) async {
    let (token, details) = (grant.token, TokenDetails(grant))
    let outcome = await onVault(ticket) { () -> Result<VaultReading?, VaultError>? in
      guard end.mayPass else { return nil }
      if spendsTokens, withLock({ $0.settled == token }) { return end.attemptPassage() ? .success(.absent) : nil }
      let earlier = if let old { VaultReading.token(old, details) } else { await vault.load() }
      if old == nil, let cause = elsewhere(earlier) {
        return end.attemptPassage() ? .failure(VaultError(cause.description, hint: cause.hint, code: cause.code)) : nil
      }
      let lock = spendsTokens ? await lockExchange(of: earlier) : nil
      let outcome = await written(token, details, insteadOf: old)
      // The old token works, unless another process spends it just now.
      let mayRestore = !spendsTokens || lock != nil
      if case .failure = outcome { await takeBack(token, for: mayRestore ? earlier : .absent) }
      let isInTime = end.attemptPassage()
      if !isInTime, case .success = outcome { await takeBack(token, for: mayRestore ? earlier : .absent) }
      if let lock {
        // A process may have died after it exchanged the old token: revoke what it was granted.
        if isInTime, case .success = outcome, let spent = earlier.legibleToken, let newer = recovered(spent, lock) {
          revokeInBackground(newer, .userAsked)
        }
        // A lock that is not released ends with the process.
        _ = try? await lock.release(.unsent)
      }
      return isInTime ? outcome : nil
    }
    switch outcome {
    case .success(let displaced?):
      if let displaced = displaced.legibleToken, displaced != token {
        revokeInBackground(displaced, .userAsked)
        // The displaced token was spent for this one.
        let unsaved = withLock { $0.unsaved?.old == displaced ? $0.unsaved.take() : nil }
        if let unsaved { revokeInBackground(unsaved.grant.token, .userAsked) }
      }
      send(.saved(epoch, token, .done))
    case .success(nil): send(.saved(epoch, token, .superseded), failure: .overtaken)
    case .failure(let failure): send(.saved(epoch, token, .failed), failure: .notSaved(failure))
    case nil: break
    }
  }

  /// Writes a token, and returns the content that it displaced, or nil if the vault lacks `old`.
  private func written(
    _ token: SessionToken, _ details: TokenDetails, insteadOf old: SessionToken?
  ) async -> Result<VaultReading?, VaultError> {
    do throws(VaultError) {
      guard let old else { return .success(try await vault.store(token, details)) }
      if try await vault.replace(old, with: token, details) { return .success(.absent) }
      // Another process may have exchanged the token of the session that this one replaces.
      guard spendsTokens, let newer = await newestToken(of: withLock({ $0.machine.state.session })?.grant.id),
        try await vault.replace(newer, with: token, details)
      else { return .success(nil) }
      return .success(.token(newer))
    } catch {
      return .failure(error)
    }
  }

  /// Undoes a failed write, because it may have taken effect, for example if only its last flush
  /// failed.
  ///
  /// Otherwise the vault would hold a token that is about to be revoked. If the undo also fails,
  /// the caller gets the error of the write, which is enough.
  private func takeBack(_ token: SessionToken, for earlier: VaultReading) async {
    do throws(VaultError) {
      if case .token(let earlier, let details) = earlier {
        _ = try await vault.replace(token, with: earlier, details)
      } else {
        try await vault.erase(token)
      }
    } catch {
      return
    }
  }

  /// Locks the token that a write replaces, so that no process spends it before the write is done.
  private func lockExchange(of earlier: VaultReading) async -> (any ExchangeLock)? {
    guard case .token(let token, _) = earlier,
      case .acquired(let lock)? = try? await vault.lockExchange(of: token, wait: timing.renewalStep / 2)
    else { return nil }
    return lock
  }

  /// Saves a new access token beside the token that did not change.
  ///
  /// If that fails, the next process asks for an access token of its own.
  func saveAccessToken(_ grant: Grant) async {
    _ = await onVault(nil) { try? await vault.replace(grant.token, with: grant.token, TokenDetails(grant)) }
  }

  /// Why the token in a vault is not one of this authority; nil if it may be one.
  func elsewhere(_ reading: VaultReading) -> Unavailability? { reading.legibleToken.flatMap(authority.notHere) }

  func confirm(_ record: SessionRecord) async { await confirm(record, next: .seconds(5)) }

  /// Confirms the token of a session.
  ///
  /// An authority that spends tokens may not know yet whose the new one is: the store asks again
  /// while the session lends it.
  private func confirm(_ record: SessionRecord, next wait: Duration) async {
    do throws(AuthorityError<SessionRejection>) {
      try await authority.confirm(record.grant.token)
    } catch {
      switch error {
      case .rejected(.ended(let reason)):
        // A late answer about an earlier token says nothing about the one that replaced it.
        send(
          .ended(record.began, reason),
          unless: { $0.machine.state.session?.grant.token == record.grant.token ? nil : .ignored(.otherSession) }
        ) { _, _ in }
      case .throttled, .unavailable:
        // At another authority, the first use of the token confirms it.
        guard spendsTokens else { return }
        _ = wake(after: wait) { core in
          let isLent = core.withLock {
            $0.machine.state.session?.grant.token == record.grant.token && !$0.machine.isReleased
          }
          if isLent { core.start { await core.confirm(record, next: min(wait * 2, .seconds(300))) } }
        }
      case .rejected(.superseded): break
      }
    }
  }
}

extension VaultReading {
  /// The readable token, even if it cannot be used: a logout must revoke it, and so must a login
  /// that replaces it.
  var legibleToken: SessionToken? {
    switch self {
    case .token(let token, _): token
    case .corrupt(let evidence): evidence.salvaged
    case .absent, .unavailable: nil
    }
  }
}
