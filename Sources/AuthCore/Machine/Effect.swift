/// Work that the store does for the machine, as data.
///
/// Each effect with an epoch comes back as a completion with that epoch. When it exceeds its time
/// limit, it comes back as failed, and its own completion is a stale result. The store does not wait
/// for effects without an epoch.
package enum Effect: Hashable, Sendable {
  /// Read the vault, and ask the authority about its token.
  case read(Epoch)
  /// Ask the authority about the credentials of the caller.
  case authenticate(Epoch)
  /// Ask the authority about the password of the caller.
  case reauthenticate(Epoch, SessionRecord)
  /// Give the authority the answer of the caller to a challenge: of a login, or of a
  /// reauthentication of the session.
  case answer(Epoch, Challenge, for: SessionRecord?)
  /// Report activity to the authority.
  case renew(Epoch, SessionRecord)
  /// Save the token in the vault, and revoke the token that it replaces.
  case save(Epoch, SessionToken)
  /// Save the new token in the vault if the vault holds the old one.
  case exchange(Epoch, old: SessionToken, new: SessionToken)
  /// Wait until no lease is running.
  case drain(Epoch)
  /// End the sessions of these tokens at the authority.
  case revoke(Epoch, Targets, EndReason)
  /// Erase these tokens from the vault; another token stays.
  case erase(Epoch, Targets)
  /// Revoke and erase whatever the vault holds; corrupt content is set aside.
  case forget(Epoch)

  /// Tell the authority that the vault holds the record's token.
  case confirm(SessionRecord)
  /// Close the keys of the session that began in the epoch: they are dead, and no lease starts.
  case closeKeys(Epoch, EndReason)
  /// Revoke a grant that came too late.
  case discard(SessionToken)
  /// Revoke a grant that came too late, and erase it from the vault.
  case discardSaved(SessionToken)
  /// Tell the authority that nobody will answer a challenge.
  case withdraw(Challenge)
  /// Notify observers of the new state.
  case notify

  /// One or two tokens of the session to end; the second one belongs to a write that was under way.
  package struct Targets: Hashable, Sendable {
    /// The token of the session.
    package let token: SessionToken
    /// A token that may be in the vault in its place.
    package let pending: SessionToken?

    /// Creates targets.
    package init(_ token: SessionToken, pending: SessionToken? = nil) {
      self.token = token
      self.pending = pending
    }
  }
}

extension Effect {
  /// The epoch of the completion; nil for an effect that nobody waits for.
  package var epoch: Epoch? {
    switch self {
    case .read(let epoch), .authenticate(let epoch), .reauthenticate(let epoch, _), .renew(let epoch, _),
      .answer(let epoch, _, _), .save(let epoch, _), .exchange(let epoch, _, _), .drain(let epoch),
      .revoke(let epoch, _, _), .erase(let epoch, _), .forget(let epoch):
      epoch
    case .confirm, .closeKeys, .discard, .discardSaved, .withdraw, .notify: nil
    }
  }

  /// How the effect comes back when it exceeds its time limit, while so many leases are running.
  package func overdue(leases: Int) -> SessionEvent? {
    switch self {
    case .read(let epoch): .restored(epoch, .obstructed(.authority(.late)))
    case .authenticate(let epoch): .authenticated(epoch, .failed)
    case .reauthenticate(let epoch, _), .renew(let epoch, _): .renewed(epoch, .failed)
    // Nobody checked the answer, as far as known, so the challenge is as it was.
    case .answer(let epoch, let challenge, .none): .authenticated(epoch, .challenged(challenge))
    case .answer(let epoch, let challenge, .some): .renewed(epoch, .challenged(challenge))
    case .save(let epoch, let token), .exchange(let epoch, _, let token): .saved(epoch, token, .failed)
    case .drain(let epoch), .revoke(let epoch, _, _), .erase(let epoch, _), .forget(let epoch):
      .timedOut(epoch, leases: leases)
    case .confirm, .closeKeys, .discard, .discardSaved, .withdraw, .notify: nil
    }
  }
}

extension Unavailability {
  /// No answer came within the time limit of the step.
  static let late = Unavailability(.busy, "No answer came in time.")
}

extension VaultError {
  /// No answer came within the time limit of the step.
  static let late = VaultError("The vault did not answer in time.")
}
