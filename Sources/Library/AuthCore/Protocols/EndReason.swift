/// Why a session has ended.
///
/// This type is the single list of reasons: programs, the authority's storage and messages use its
/// ``code`` and its ``description``. A later version may add reasons.
public struct EndReason: Hashable, Sendable, CustomStringConvertible {
  /// The user logged out.
  public static let userAsked = EndReason(.userAsked)
  /// Another session of the user, an administrator or a password change ended the session.
  public static let revoked = EndReason(.revoked)
  /// An administrator disabled the account.
  public static let accountDisabled = EndReason(.accountDisabled)
  /// The account was deleted, by its user or an administrator.
  public static let accountDeleted = EndReason(.accountDeleted)
  /// The computer was restarted, which reset the session's clock, or that clock was set back.
  public static let rebooted = EndReason(.rebooted)
  /// Another login replaced it: of another user or of the same one, in this process or another.
  public static let switchedUser = EndReason(.switchedUser)
  /// The process released the store that created the key.
  ///
  /// The session itself continues and can be restored. No authority returns this reason.
  public static let storeReleased = EndReason(.storeReleased)

  /// The session reached a limit.
  public static func expired(_ limit: LimitKind) -> EndReason { EndReason(.expired(limit)) }
  /// A process ended during the exchange of the session's token, and the authority then refused the
  /// token.
  ///
  /// The exchange began at this time, if it is known.
  public static func interrupted(began: BootInstant?) -> EndReason { EndReason(.interrupted(began: began)) }

  /// The reasons of this version, for a `switch` inside this package.
  package enum Kind: Hashable, Sendable {
    case userAsked, expired(LimitKind), revoked, accountDisabled, accountDeleted, rebooted, switchedUser
    case interrupted(began: BootInstant?), storeReleased
  }

  package let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

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
    return switch kind {
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
      ("interrupted", "The answer to a renewal was lost, and the server then ended the session.", again)
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
