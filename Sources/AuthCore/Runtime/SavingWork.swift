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
    let (token, user) = (grant.token, LastKnownUser(grant.user))
    let outcome = await onVault(ticket) { () -> Result<VaultReading?, VaultError>? in
      guard end.mayPass else { return nil }
      let earlier = if let old { VaultReading.token(old, of: user) } else { await vault.load() }
      let outcome = await written(token, user, insteadOf: old)
      if case .failure = outcome { await takeBack(token, for: earlier) }
      if end.attemptPassage() { return outcome }
      if case .success = outcome { await takeBack(token, for: earlier) }
      return nil
    }
    switch outcome {
    case .success(let displaced?):
      if let displaced = displaced.legibleToken, displaced != token { revokeInBackground(displaced, .userAsked) }
      send(.saved(epoch, token, .done))
    case .success(nil): send(.saved(epoch, token, .superseded), failure: .overtaken)
    case .failure(let failure): send(.saved(epoch, token, .failed), failure: .notSaved(failure))
    case nil: break
    }
  }

  /// Writes a token, and returns the content that it displaced, or nil if the vault lacks `old`.
  private func written(
    _ token: SessionToken, _ user: LastKnownUser, insteadOf old: SessionToken?
  ) async -> Result<VaultReading?, VaultError> {
    do throws(VaultError) {
      guard let old else { return .success(try await vault.store(token, of: user)) }
      return .success(try await vault.replace(old, with: token, of: user) ? .absent : nil)
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
      case .rejected(.ended(let reason)):
        // A late answer about an earlier token says nothing about the one that replaced it.
        send(
          .ended(record.began, reason),
          unless: { $0.machine.state.session?.grant.token == record.grant.token ? nil : .ignored(.otherSession) }
        ) { _, _ in }
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
