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
  /// | `other_session` | the key belongs to a session of another store |
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
  /// | `cancelled` | the task was cancelled; the work continues |
  /// | `timed_out` | the limit of the call has passed; the work continues |
  public var code: String { facts.code }

  /// Whether the same command may succeed later although the user does nothing.
  ///
  /// Wait before you try again: as long as a throttle says, otherwise a few seconds, then twice as
  /// long after each failure, up to some minutes; see ``SessionStore/keepAlive(every:)``. A login
  /// that failed with ``unavailable(_:)`` may have been accepted; the store revokes it.
  public var isRetryable: Bool { facts.isRetryable }

  package var words: ErrorWords { facts.words }

  fileprivate var facts: (code: String, isRetryable: Bool, words: ErrorWords) {
    switch self {
    case .rejected(let rejection): rejection.facts
    case .credentialsNotAccepted:
      ("credentials_not_accepted", false, ("The user name or the password is wrong.", "Check both, and try again."))
    case .loginRefused(let refusal): (refusal.code, false, (refusal.description, refusal.hint))
    case .throttled(let throttle): (throttle == .locked ? "locked" : "throttled", throttle != .locked, throttle.words)
    case .unavailable(let cause): (cause.code, true, (cause.description, cause.hint))
    case .notSaved(let failure): ("not_saved", true, (failure.description, failure.hint))
    case .vault(let failure): ("vault_unreadable", true, (failure.description, failure.hint))
    case .corrupt(let evidence): ("vault_corrupt", false, (evidence.description, evidence.hint))
    case .ended(let reason): ("session_\(reason.code)", false, reason.words)
    case .overtaken:
      (
        "overtaken", true,
        ("Another process changed the session at the same time.", "Check who is logged in, then try again.")
      )
    case .clock(let failure): (ClockError.code, true, (failure.description, failure.hint))
    case .insideLease:
      (
        "inside_lease", false,
        ("The command was given inside a lease, and would wait for that lease.", "Leave the lease first.")
      )
    case .cancelled:
      ("cancelled", false, ("The command was cancelled, and its work continues.", "Check who is logged in."))
    case .timedOut:
      ("timed_out", false, ("The command took too long, and its work continues.", "Check who is logged in."))
    }
  }
}

extension SessionError.Rejection {
  /// It is retryable if the state that rejected the command ends without a command of the user.
  fileprivate var facts: (code: String, isRetryable: Bool, words: ErrorWords) {
    let busy = ("The session is busy with another request.", "Try again; nothing was changed.")
    return switch kind {
    case .notLoggedIn: ("not_logged_in", false, ("Nobody is logged in.", "Log in."))
    case .alreadyLoggedIn: ("already_logged_in", false, ("Somebody is logged in already.", "Log out first."))
    case .challengeOver: ("challenge_over", false, ("The second step has ended.", "Log in again."))
    case .logoutUnfinished:
      ("logout_unfinished", false, ("The last logout could not finish.", "Log out again, or log in."))
    case .alreadyInProgress: ("already_in_progress", true, busy)
    case .renewalInProgress: ("renewal_in_progress", true, busy)
    case .renewalsFailed:
      (
        "renewals_failed", true,
        ("Activity could not be reported, and it is too soon to try again.", "Try again later.")
      )
    case .logoutInProgress: ("logout_in_progress", true, busy)
    case .otherSession:
      ("other_session", false, ("The key belongs to another session.", "Use the key of the store's session."))
    case .insideLease: SessionError.insideLease.facts
    case .storeReleased: SessionError.ended(.storeReleased).facts
    }
  }
}
