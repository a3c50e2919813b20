/// Why a session has ended.
///
/// This type is the single list of reasons: programs, the authority's storage and messages use its
/// ``code`` and its ``description``.
public enum EndReason: Hashable, Sendable, CustomStringConvertible {
  /// The user logged out.
  case userAsked
  /// The session reached a limit.
  case expired(LimitKind)
  /// Another session of the user, an administrator or a password change ended the session.
  case revoked
  /// An administrator disabled the account.
  case accountDisabled
  /// The account was deleted, by its user or an administrator.
  case accountDeleted
  /// The computer was restarted, which reset the session's clock, or that clock was set back.
  case rebooted
  /// Another login replaced it: of another user or of the same one, in this process or another.
  case switchedUser
  /// A process ended during the exchange of the session's token, and the authority then refused the
  /// token.
  ///
  /// The exchange began at this time, if it is known.
  case interrupted(began: BootInstant?)
  /// The process released the store that created the key.
  ///
  /// The session itself continues and can be restored. No authority returns this reason.
  case storeReleased

  package static let allCases: [EndReason] =
    [.userAsked] + LimitKind.allCases.map(EndReason.expired) + [
      .revoked, .accountDisabled, .accountDeleted, .rebooted, .switchedUser, .interrupted(began: nil), .storeReleased,
    ]

  /// A stable name for programs and for storage, in snake case.
  public var code: String { naming.code }

  /// What happened, in one sentence.
  public var description: String { naming.sentence }

  /// What happened, and what to do about it.
  var words: ErrorWords { (naming.sentence, naming.hint) }

  private var naming: (code: String, sentence: String, hint: String) {
    let again = "Log in again."
    return switch self {
    case .userAsked: ("user_asked", "The session was ended by logging out.", again)
    case .expired(.idle): ("expired_idle", "The session expired after too long without activity.", again)
    case .expired(.absolute): ("expired_absolute", "The session reached its longest duration.", again)
    case .revoked: ("revoked", "The session was revoked.", again)
    case .accountDisabled:
      ("account_disabled", "The account was disabled.", "Ask an administrator to enable the account.")
    case .accountDeleted: ("account_deleted", "The account was deleted.", "Log in with another account.")
    case .rebooted: ("rebooted", "The machine was restarted, or its clock set back, since the session began.", again)
    case .switchedUser: ("switched_user", "Another login replaced your session.", again)
    case .interrupted:
      (
        "interrupted", "A program ended while it renewed the session, and the server then ended the session.", again
      )
    case .storeReleased: ("store_released", "The program released the session.", again)
    }
  }

  /// Finds the reason with this ``code``, or returns nil; for an authority that gets the reason
  /// from a server.
  public init?(code: String) {
    guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = reason
  }
}
