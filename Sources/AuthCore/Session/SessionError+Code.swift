extension SessionError {
  /// A stable name for programs, in snake case.
  ///
  /// It does not change when a case is renamed.
  ///
  /// | code | the command failed because |
  /// |---|---|
  /// | `not_logged_in` | nobody is logged in |
  /// | `already_logged_in` | a user is logged in |
  /// | `challenge_over` | the challenge has ended |
  /// | `logout_unfinished` | the last logout could not clean up |
  /// | `already_in_progress` | another login or password check is under way |
  /// | `renewal_in_progress` | the session is busy with other work |
  /// | `renewals_failed` | all renewals of this minute failed |
  /// | `logout_in_progress` | a logout is under way |
  /// | `credentials_not_accepted` | the name or the password is wrong |
  /// | `throttled` | there were too many attempts; wait |
  /// | `locked` | there were too many attempts; only an administrator can help |
  /// | ``Unavailability/code`` | the authority gave no usable answer |
  /// | `not_saved` | the vault could not save the token |
  /// | `vault_unreadable` | the vault could not be read |
  /// | `vault_corrupt` | the content of the vault is unusable |
  /// | `session_` and an ``EndReason/code`` | the session has ended |
  /// | `overtaken` | another process changed the session first |
  /// | `clock_unreadable` | the clock could not be read |
  /// | `inside_lease` | the caller is inside a lease |
  /// | `cancelled` | the task was cancelled, or its limit has passed; the work continues |
  public var code: String {
    switch self {
    case .rejected(let rejection): rejection.code
    case .credentialsNotAccepted: "credentials_not_accepted"
    case .throttled(.wait): "throttled"
    case .throttled(.locked): "locked"
    case .unavailable(let cause): cause.code
    case .notSaved: "not_saved"
    case .vault: "vault_unreadable"
    case .corrupt: "vault_corrupt"
    case .ended(let reason): "session_\(reason.code)"
    case .overtaken: "overtaken"
    case .clock: "clock_unreadable"
    case .insideLease: "inside_lease"
    case .cancelled: "cancelled"
    }
  }

  /// Whether the same command may succeed later although the user does nothing.
  ///
  /// Wait before you try again: as long as a throttle says, otherwise a few seconds, then twice as
  /// long after each failure, up to some minutes; see ``SessionStore/keepAlive()``. A login that
  /// failed with ``unavailable(_:)`` may have been accepted; the store revokes it.
  public var isRetryable: Bool {
    switch self {
    case .throttled(.wait), .unavailable, .notSaved, .vault, .overtaken, .clock: true
    case .rejected(let rejection): rejection.passes
    case .credentialsNotAccepted, .throttled(.locked), .corrupt, .ended, .insideLease, .cancelled: false
    }
  }
}

extension SessionError.Rejection {
  fileprivate var code: String {
    switch self {
    case .notLoggedIn: "not_logged_in"
    case .alreadyLoggedIn: "already_logged_in"
    case .challengeOver: "challenge_over"
    case .logoutUnfinished: "logout_unfinished"
    case .alreadyInProgress: "already_in_progress"
    case .renewalInProgress: "renewal_in_progress"
    case .renewalsFailed: "renewals_failed"
    case .logoutInProgress: "logout_in_progress"
    }
  }

  /// Whether the state that rejected the command ends without a command of the user.
  fileprivate var passes: Bool {
    switch self {
    case .alreadyInProgress, .renewalInProgress, .renewalsFailed, .logoutInProgress: true
    case .notLoggedIn, .alreadyLoggedIn, .challengeOver, .logoutUnfinished: false
    }
  }
}
