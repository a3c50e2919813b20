/// The kinds of events, named by the OWASP Logging Vocabulary Cheat Sheet where it has a name.
package enum EventName: String, Hashable, Sendable, CaseIterable {
  /// A login succeeded.
  case loginSucceeded = "authn_login_success"
  /// A login succeeded after failures; the detail says how many.
  case loginSucceededAfterFailures = "authn_login_successafterfail"
  /// A login failed.
  case loginFailed = "authn_login_fail"
  /// So many consecutive failures that the account must wait now.
  case loginFailuresThrottled = "authn_login_fail_max"
  /// So many consecutive failures that the account is locked.
  case loginLocked = "authn_login_lock"
  /// An administrator unlocked the account.
  case loginUnlocked = "authn_login_unlock"
  /// The password was entered again, and a new token given.
  case reauthenticated = "authn_token_created"
  /// The password was entered again, wrongly.
  case reauthenticationFailed = "authn_reauth_fail"
  /// The password was right, and a code was asked for.
  case twoStepAsked = "authn_two_step_ask"
  /// A code was wrong, used, too old or too new.
  case twoStepFailed = "authn_two_step_fail"
  /// The second step was turned on.
  case twoStepOn = "authn_two_step_on"
  /// The second step was turned off; the detail says with what.
  case twoStepOff = "authn_two_step_off"
  /// A token that was exchanged for a newer one was used.
  case tokenReused = "authn_token_reuse"
  /// A login stored a new hash of the password, because hashing costs more now.
  case passwordRehashed = "authn_password_rehash"
  /// The password was changed.
  case passwordChanged = "authn_password_change"
  /// New recovery codes took the place of the old ones.
  case recoveryCodesMade = "recovery_codes_created"
  /// A code was made that works once and for a limited time; the detail says for what and by whom.
  case oneTimeCodeMade = "one_time_code_created"
  /// A code was used to set a new password; the detail says of which kind.
  case recovered = "authn_recover_success"
  /// A code was wrong, used or expired.
  case recoveryFailed = "authn_recover_fail"
  /// A session was ended; the detail says why.
  case sessionEnded = "session_ended"
  /// A session reached a limit; the detail says which.
  case sessionExpired = "session_expired"
  /// A token was used after its session had ended; the detail says why it had.
  case sessionUsedAfterEnd = "session_use_after_expire"
  /// A token was used that belongs to no session.
  case sessionUnknown = "session_unknown"
  /// An operation was refused because the role was missing.
  case authorizationFailed = "authz_fail"
  /// An administrator changed the role of an account; the detail says from what to what.
  case authorizationChanged = "authz_change"
  /// An administrator changed a setting of the database, or an operator did something; the detail
  /// says what.
  case administered = "authz_admin"
  /// An administrator looked at accounts; the detail says at what.
  case sensitiveRead = "sensitive_read"
  /// An account was made.
  case userCreated = "user_created"
  /// The name that screens show was changed.
  case userUpdated = "user_updated"
  /// An administrator disabled the account.
  case userDisabled = "user_disabled"
  /// An administrator enabled the account.
  case userEnabled = "user_enabled"
  /// The account was deleted, by its user or an administrator.
  case userDeleted = "user_deleted"
  /// An administrator added the account to a group; the detail says to which.
  case groupJoined = "group_joined"
  /// An administrator removed the account from a group; the detail says from which.
  case groupLeft = "group_left"
  /// A tool, who is the actor, verified a proof that the session had created.
  case proofVerified = "proof_verified"
}

extension EventName {
  /// What happened, for people; a search for events finds it too.
  package var words: String {
    switch self {
    case .loginSucceeded: "logged in"
    case .loginSucceededAfterFailures: "logged in after failures"
    case .loginFailed: "login failed"
    case .loginFailuresThrottled: "too many failed logins"
    case .loginLocked: "account locked"
    case .loginUnlocked: "account unlocked"
    case .reauthenticated: "password entered again"
    case .reauthenticationFailed: "wrong password"
    case .twoStepAsked: "code asked for"
    case .twoStepFailed: "wrong code"
    case .twoStepOn: "second step turned on"
    case .twoStepOff: "second step turned off"
    case .tokenReused: "old session token used"
    case .passwordRehashed: "password hash renewed"
    case .passwordChanged: "password changed"
    case .recoveryCodesMade: "recovery codes created"
    case .oneTimeCodeMade: "one-time code created"
    case .recovered: "password set with a code"
    case .recoveryFailed: "wrong recovery code"
    case .sessionEnded: "session ended"
    case .sessionExpired: "session expired"
    case .sessionUsedAfterEnd: "ended session used"
    case .sessionUnknown: "unknown session used"
    case .authorizationFailed: "refused: not permitted"
    case .authorizationChanged: "role changed"
    case .administered: "administration"
    case .sensitiveRead: "accounts viewed"
    case .userCreated: "account created"
    case .userUpdated: "name changed"
    case .userDisabled: "account disabled"
    case .userEnabled: "account enabled"
    case .userDeleted: "account deleted"
    case .groupJoined: "added to a group"
    case .groupLeft: "removed from a group"
    case .proofVerified: "proof verified"
    }
  }
}
