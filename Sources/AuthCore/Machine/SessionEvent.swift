/// Everything that can happen to a session.
///
/// Each state answers each of these; there is no default anywhere.
///
/// First the commands, which somebody awaits; then the completions of the work that effects start, each with the epoch of that
/// work; then what may be learnt at any time, with the epoch in which the session it speaks of began.
package enum SessionEvent: Hashable, Sendable {
  /// The command to find out whether a kept session still stands.
  case restore
  /// The command to begin a session.
  case logIn
  /// The command to begin a session for another user in place of the present one.
  case switchUser
  /// The command to check the password of the present user again.
  case reauthenticate
  /// Activity of the user at an instant.
  case renew(BootInstant)
  /// The command to look again at the vault and the authority.
  case check
  /// The command to end the session.
  case logOut

  /// ``Effect/read(_:)`` came back.
  case restored(Epoch, Restored)
  /// ``Effect/authenticate(_:)`` came back.
  case authenticated(Epoch, Authenticated)
  /// ``Effect/renew(_:_:)`` or ``Effect/reauthenticate(_:_:)`` came back.
  case renewed(Epoch, Renewed)
  /// ``Effect/save(_:_:)`` or ``Effect/exchange(_:old:new:)`` came back for the record.
  case saved(Epoch, SessionRecord, Saved)
  /// ``Effect/drain(_:)`` came back: no lease is running, and none can start.
  case drained(Epoch)
  /// ``Effect/revoke(_:_:_:)`` came back; true when the authority ended the session.
  case revoked(Epoch, Bool)
  /// ``Effect/erase(_:_:)`` or ``Effect/forget(_:)`` came back with what is left.
  case erased(Epoch, IncompleteCleanup)
  /// A step of a logout, a renewal or a check took longer than its limit; so many leases were
  /// running then.
  case timedOut(Epoch, leases: Int)

  /// A limit of the session that began in the epoch is reached.
  case limitReached(Epoch, LimitReached)
  /// The authority said, in answer to something else, that the session that began in the epoch is over.
  case ended(Epoch, EndReason)

  /// What reading the vault and asking the authority came to.
  package enum Restored: Hashable, Sendable {
    /// The authority vouches for the kept token.
    case found(SessionRecord)
    /// Proven: the vault is empty.
    case absent
    /// The authority rejected the kept token.
    case ended(EndReason, SessionToken)
    /// It could not be found out.
    case obstructed(RestoreFailure)
  }

  /// What checking credentials came to.
  package enum Authenticated: Hashable, Sendable {
    /// The authority was satisfied.
    case granted(SessionRecord)
    /// It was not, or could not be asked.
    case failed
  }

  /// What a renewal came to.
  package enum Renewed: Hashable, Sendable {
    /// The session goes on under this record.
    case granted(SessionRecord)
    /// The authority says that the session is over.
    case ended(EndReason)
    /// The token was exchanged by another process; the vault may hold the newer one.
    case superseded
    /// Not accepted, throttled, unavailable or cancelled: nothing is known to have changed.
    case failed
  }

  /// What a write to the vault came to.
  package enum Saved: Hashable, Sendable {
    /// The vault holds the record's token.
    case done
    /// It was not written.
    case failed
    /// An exchange found another token, or none, in the place of the old one.
    case superseded
  }

  /// Which limit was reached.
  package enum LimitReached: Hashable, Sendable, CaseIterable {
    /// No activity for too long.
    case idle
    /// Too long since login.
    case absolute
    /// The machine was started anew.
    case rebooted

    var reason: EndReason {
      switch self {
      case .idle: .expired(.idle)
      case .absolute: .expired(.absolute)
      case .rebooted: .rebooted
      }
    }
  }
}
