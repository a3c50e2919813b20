import Guards

// The work that saves a token in the vault and confirms that to the authority.
extension SessionCore {
  func save(_ epoch: Epoch, _ grant: Grant, _ ticket: VaultQueueTicket?, _ end: Gatekeeper<Bool>) async {
    let token = grant.token
    var earlier = VaultReading.absent
    let outcome = await write(ticket, end) { () throws(VaultError) -> VaultReading in
      earlier = await vault.load()
      return try await vault.store(token, of: LastKnownUser(grant.user))
    } undo: {
      await takeBack(token, for: earlier)
    }
    switch outcome {
    case .success(let displaced):
      if let displaced = displaced.legibleToken, displaced != token { revokeInBackground(displaced, .userAsked) }
      send(.saved(epoch, token, .done))
    case .failure(let failure):
      send(.saved(epoch, token, .failed), failure: .notSaved(failure))
    case nil:
      break
    }
  }

  func exchange(
    _ epoch: Epoch, _ old: SessionToken, _ grant: Grant, _ ticket: VaultQueueTicket?, _ end: Gatekeeper<Bool>
  ) async {
    let (new, user) = (grant.token, LastKnownUser(grant.user))
    let outcome = await write(ticket, end) { () throws(VaultError) -> Bool in
      try await vault.replace(old, with: new, of: user)
    } undo: {
      await takeBack(new, for: .token(old, of: user))
    }
    switch outcome {
    case .success(true): send(.saved(epoch, new, .done))
    case .success(false): send(.saved(epoch, new, .superseded), failure: .overtaken)
    case .failure(let failure): send(.saved(epoch, new, .failed), failure: .notSaved(failure))
    case nil: break
    }
  }

  /// Writes to the vault in queue order, and undoes a write that failed or came too late.
  ///
  /// - Returns: The outcome, or nil after the time limit, when a failure has already been reported.
  private func write<Value>(
    _ ticket: VaultQueueTicket?, _ end: Gatekeeper<Bool>, _ body: () async throws(VaultError) -> Value,
    undo: () async -> Void
  ) async -> Result<Value, VaultError>? {
    await onVault(ticket) { () -> Result<Value, VaultError>? in
      guard end.mayPass else { return nil }
      let outcome: Result<Value, VaultError>
      do throws(VaultError) {
        outcome = .success(try await body())
      } catch {
        await undo()
        outcome = .failure(error)
      }
      if end.attemptPassage() { return outcome }
      if case .success = outcome { await undo() }
      return nil
    }
  }

  /// Undoes a failed write, because it may have taken effect, for example if only its last flush
  /// failed.
  ///
  /// Otherwise the vault would hold a token that is about to be revoked. If the undo also fails,
  /// the caller gets the error of the write, which is enough.
  private func takeBack(_ token: SessionToken, for earlier: VaultReading) async {
    do throws(VaultError) {
      if case .token(let earlier, let user) = earlier {
        _ = try await vault.replace(token, with: earlier, of: user)
      } else {
        try await vault.erase(token)
      }
    } catch {
      return
    }
  }

  func confirm(_ record: SessionRecord) async {
    do throws(AuthorityError<SessionRejection>) {
      try await authority.confirm(record.grant.token)
    } catch {
      switch error {
      case .rejected(.ended(let reason)): send(.ended(record.began, reason))
      case .rejected(.superseded), .throttled, .unavailable: break  // The first use of the token confirms it.
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
