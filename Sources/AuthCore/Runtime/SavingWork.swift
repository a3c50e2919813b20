// The work that brings a token into the vault, and tells the authority so.
extension SessionCore {
  func save(_ epoch: Epoch, _ record: SessionRecord, _ ticket: VaultQueueTicket?) async {
    let outcome = await onVault(ticket) { () -> Result<VaultReading, VaultError> in
      let before = await vault.load()
      do throws(VaultError) {
        return .success(try await vault.store(record.grant.token))
      } catch {
        await takeBack(record.grant.token, for: before.usableToken)
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let displaced):
      if let token = displaced.legibleToken, token != record.grant.token { revokeInBackground(token, .userAsked) }
      send(.saved(epoch, record, .done))
    case .failure(let failure):
      send(.saved(epoch, record, .failed), failure: .notSaved(failure))
    }
  }

  func exchange(_ epoch: Epoch, _ old: SessionRecord, _ new: SessionRecord, _ ticket: VaultQueueTicket?) async {
    let outcome = await onVault(ticket) { () -> Result<Bool, VaultError> in
      do throws(VaultError) {
        return .success(try await vault.replace(old.grant.token, with: new.grant.token))
      } catch {
        await takeBack(new.grant.token, for: old.grant.token)
        return .failure(error)
      }
    }
    switch outcome {
    case .success(true): send(.saved(epoch, new, .done))
    case .success(false): send(.saved(epoch, new, .superseded), failure: .overtaken)
    case .failure(let failure): send(.saved(epoch, new, .failed), failure: .notSaved(failure))
    }
  }

  /// Undoes a failed write, because it may have taken effect, as one does whose last flush failed.
  ///
  /// Otherwise the vault would hold a token that is about to be revoked. When the undo fails too,
  /// the caller gets the error of the write, which says everything.
  private func takeBack(_ token: SessionToken, for earlier: SessionToken?) async {
    do throws(VaultError) {
      if let earlier {
        _ = try await vault.replace(token, with: earlier)
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
      case .rejected(.superseded), .throttled, .unavailable: break  // Made up for by the first use of the token.
      }
    }
  }
}

extension VaultReading {
  /// The token in the vault, if it can be used.
  fileprivate var usableToken: SessionToken? {
    switch self {
    case .token(let token): token
    case .absent, .unavailable, .corrupt: nil
    }
  }

  /// The readable token, whether or not it can be used: a login must revoke the token that it
  /// replaces.
  fileprivate var legibleToken: SessionToken? {
    switch self {
    case .token(let token): token
    case .corrupt(let evidence): evidence.salvaged
    case .absent, .unavailable: nil
    }
  }
}
