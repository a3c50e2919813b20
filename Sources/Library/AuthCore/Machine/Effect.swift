/// A piece of work that the store does for the machine, as data.
///
/// Each effect with an epoch completes with an event of that epoch. When it exceeds its time limit,
/// it completes as failed, and its later result is stale. The store does not wait for effects
/// without an epoch.
package indirect enum Effect: Hashable, Sendable {
  /// Read the vault, and ask the authority about its token.
  case read(Epoch)
  /// Ask the authority about the credentials of the caller.
  case authenticate(Epoch)
  /// Ask the authority about the password of the caller.
  case reauthenticate(Epoch, SessionRecord)
  /// Send the caller's answer to a challenge, of a login or of a reauthentication of the session,
  /// to the authority.
  case answer(Epoch, Challenge, for: SessionRecord?)
  /// Report activity to the authority.
  case renew(Epoch, SessionRecord)
  /// Save the token of the grant in the vault, with its user, and revoke the token that it
  /// replaces.
  case save(Epoch, Grant)
  /// Save the token of the new grant in the vault, with its user, if the vault holds the old token.
  case exchange(Epoch, old: SessionToken, new: Grant)
  /// Wait until no lease is running.
  case drain(Epoch)
  /// End the sessions of these tokens at the authority.
  case revoke(Epoch, Targets, EndReason)
  /// Erase these tokens from the vault; another token stays.
  case erase(Epoch, Targets)
  /// Revoke and erase any token in the vault; set corrupt content aside.
  case forget(Epoch)

  /// Confirm to the authority that the vault holds the record's token.
  case confirm(SessionRecord)
  /// Close the keys of the session that began in the epoch, so that no lease starts.
  case closeKeys(Epoch, EndReason)
  /// Revoke a grant that came too late.
  case discard(SessionToken)
  /// Revoke a grant that came too late, and erase it from the vault.
  case discardSaved(SessionToken)
  /// Withdraw a challenge that nobody will answer.
  case withdraw(Challenge)
  /// Notify observers of the new state.
  case notify

  /// One or two tokens of the session to end; the second one belongs to a write that was under way.
  package struct Targets: Hashable, Sendable {
    package let token: SessionToken
    /// A token that may be in the vault in its place.
    package var pending: SessionToken?
  }
}

extension Effect {
  /// The epoch of the completion; nil for an effect without one.
  package var epoch: Epoch? { overdue(leases: 0)?.epoch }

  /// The completion of an effect that exceeds its time limit while so many leases are running.
  package func overdue(leases: Int) -> SessionEvent? {
    switch self {
    case .read(let epoch): .restored(epoch, .obstructed(.authority(.late)))
    case .authenticate(let epoch), .reauthenticate(let epoch, _), .renew(let epoch, _): .answered(epoch, .failed)
    // As far as is known, the answer was not checked, so the challenge is unchanged.
    case .answer(let epoch, let challenge, _): .answered(epoch, .challenged(challenge))
    case .save(let epoch, let grant), .exchange(let epoch, _, let grant): .saved(epoch, grant.token, .failed)
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
