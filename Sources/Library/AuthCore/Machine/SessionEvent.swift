/// Everything that can happen to a session.
///
/// Each state answers each event; no `switch` has a default.
///
/// Commands come first: a caller awaits each of them. Then come the completions of effects, each
/// with the epoch of its work. Then come the notices, which may arrive at any time, each with its
/// session.
package indirect enum SessionEvent: Hashable, Sendable {
  /// A command, the session or the challenge that its caller named, and the caller.
  case command(SessionCommand, about: CommandSubject = .anyone, by: CommandCaller = .outside)

  /// ``Effect/read(_:)`` found the token of this user in the vault, and continues.
  case recognized(Epoch, LastKnownUser)
  /// ``Effect/read(_:)`` completed.
  case restored(Epoch, Restored)
  /// ``Effect/authenticate(_:)``, ``Effect/reauthenticate(_:_:)``, ``Effect/answer(_:_:for:)`` or
  /// ``Effect/renew(_:_:)`` completed.
  case answered(Epoch, Answer)
  /// ``Effect/save(_:_:)`` or ``Effect/exchange(_:old:new:)`` completed for the token.
  case saved(Epoch, SessionToken, Saved)
  /// ``Effect/drain(_:)`` completed: no lease is running, and none can start.
  case drained(Epoch)
  /// ``Effect/revoke(_:_:_:)`` completed; true when the authority ended the session.
  case revoked(Epoch, Bool)
  /// ``Effect/erase(_:_:)`` or ``Effect/forget(_:)`` completed, with what remains to clean up.
  case erased(Epoch, IncompleteCleanup)
  /// A step of a logout, or the time to answer a challenge, exceeded its limit. `leases` is the
  /// number of leases that were running then.
  ///
  /// Other work that exceeds its limit completes as failed.
  case timedOut(Epoch, leases: Int)

  /// This record of the session reached a limit, or the computer was restarted.
  ///
  /// An earlier renewal creates another record with new limits.
  case limitReached(SessionRecord, EndReason)
  /// In answer to another request, the authority reported the end of the session that began in the
  /// epoch.
  case ended(Epoch, EndReason)
  /// The store was released: nobody can give a command any more, or learn a result.
  case released

  /// The result of reading the vault and asking the authority.
  package enum Restored: Hashable, Sendable {
    /// The authority accepts the saved token.
    case found(Grant)
    /// Proven: the vault is empty.
    case absent
    /// The authority rejected the saved token.
    case ended(EndReason, SessionToken)
    /// The session could not be checked.
    case obstructed(RestoreFailure)
  }

  /// The answer of the authority to credentials, a second step or a renewal.
  package enum Answer: Hashable, Sendable {
    /// A session begins or continues with this grant.
    case granted(Grant)
    /// The authority accepted the credentials, and requires a second step.
    case challenged(Challenge)
    /// The session of the request has ended; never the answer to a login.
    case ended(EndReason)
    /// Another process exchanged the token of the request, and the vault may hold the newer one;
    /// never the answer to a login.
    case superseded
    /// Not accepted, throttled, unavailable or cancelled: as far as is known, nothing changed.
    case failed
  }

  /// The result of a write to the vault.
  package enum Saved: Hashable, Sendable {
    /// The vault holds the token.
    case done
    /// The write failed.
    case failed
    /// An exchange found another token, or none, instead of the old one.
    case superseded
  }
}

extension SessionEvent {
  /// The epoch of the work that this event completes; nil for another event.
  package var epoch: Epoch? {
    switch self {
    case .restored(let epoch, _), .answered(let epoch, _), .saved(let epoch, _, _), .drained(let epoch),
      .revoked(let epoch, _), .erased(let epoch, _), .timedOut(let epoch, _):
      epoch
    case .command, .recognized, .limitReached, .ended, .released: nil
    }
  }

  /// The command, if a caller awaits the event.
  package var command: SessionCommand? {
    if case .command(let command, _, _) = self { command } else { nil }
  }

  package var name: String {
    // The case of an event with a payload is the label of that.
    command?.name ?? Mirror(reflecting: self).children.first?.label ?? "\(self)"
  }
}
