/// Everything that can happen to a session.
///
/// Each state answers each event; no `switch` has a default.
///
/// First come the commands, which somebody awaits; then the completions of effects, each with the
/// epoch of its work; then the notices that may arrive at any time, each with the session that it is
/// about.
package enum SessionEvent: Hashable, Sendable {
  /// A command, and the challenge that an answer or a cancellation is for.
  case command(SessionCommand, SessionToken? = nil)

  /// ``Effect/read(_:)`` came back.
  case restored(Epoch, Restored)
  /// ``Effect/authenticate(_:)``, or ``Effect/answer(_:_:for:)`` for a login, came back.
  case authenticated(Epoch, Authenticated)
  /// ``Effect/renew(_:_:)``, ``Effect/reauthenticate(_:_:)``, or ``Effect/answer(_:_:for:)`` for a
  /// session, came back.
  case renewed(Epoch, Renewed)
  /// ``Effect/save(_:_:)`` or ``Effect/exchange(_:old:new:)`` came back for the token.
  case saved(Epoch, SessionToken, Saved)
  /// ``Effect/drain(_:)`` came back: no lease is running, and none can start.
  case drained(Epoch)
  /// ``Effect/revoke(_:_:_:)`` came back; true when the authority ended the session.
  case revoked(Epoch, Bool)
  /// ``Effect/erase(_:_:)`` or ``Effect/forget(_:)`` came back, with what remains to clean up.
  case erased(Epoch, IncompleteCleanup)
  /// A step of a logout, or the time to answer a challenge, exceeded its limit; so many leases were
  /// running then.
  ///
  /// Other work that exceeds its limit comes back as failed.
  case timedOut(Epoch, leases: Int)

  /// This record of the session reached a limit.
  ///
  /// A renewal that comes first makes another record, with limits of its own.
  case limitReached(SessionRecord, LimitReached)
  /// The authority reported, in answer to another request, that the session that began in the epoch
  /// is over.
  case ended(Epoch, EndReason)

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

  /// The result of a login.
  package enum Authenticated: Hashable, Sendable {
    /// The authority accepted the credentials.
    case granted(Grant)
    /// The authority accepted them so far, and asks for more.
    case challenged(Challenge)
    /// The authority rejected them, or could not be asked.
    case failed
  }

  /// The result of a renewal.
  package enum Renewed: Hashable, Sendable {
    /// The session goes on with this grant.
    case granted(Grant)
    /// The authority accepted the password so far, and asks for more.
    case challenged(Challenge)
    /// The authority says that the session is over.
    case ended(EndReason)
    /// Another process exchanged the token; the vault may hold the newer one.
    case superseded
    /// Not accepted, throttled, unavailable or cancelled: as far as known, nothing changed.
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

  /// Which limit was reached.
  package enum LimitReached: String, Hashable, Sendable, CaseIterable {
    /// No activity for too long.
    case idle
    /// Too long since login.
    case absolute
    /// The machine was restarted.
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

extension SessionEvent {
  /// The command, if somebody awaits the event.
  package var command: SessionCommand? {
    if case .command(let command, _) = self { command } else { nil }
  }

  /// The name of the event.
  package var name: String {
    switch self {
    case .command(let command, _): command.rawValue
    case .restored: "restored"
    case .authenticated: "authenticated"
    case .renewed: "renewed"
    case .saved: "saved"
    case .drained: "drained"
    case .revoked: "revoked"
    case .erased: "erased"
    case .timedOut: "timedOut"
    case .limitReached: "limitReached"
    case .ended: "ended"
    }
  }
}
