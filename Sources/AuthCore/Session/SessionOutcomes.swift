/// What finding out about a kept session came to.
public enum RestoreOutcome: Hashable, Sendable {
  /// It stands, and this is its key.
  case loggedIn(LoggedInSession)
  /// None stands.
  case loggedOut(LogoutReason)
  /// It could not be found out; nothing was lost. Try again.
  case obstructed(RestoreFailure)
  /// A login or a logout was faster.
  case overtaken
  /// The calling task was cancelled; the work goes on.
  case cancelled
}

/// Why it is not known whether a kept session stands.
///
/// The session is neither in nor out.
public indirect enum RestoreFailure: Hashable, Sendable {
  /// The vault could not be looked into.
  case vault(VaultError)
  /// The vault holds something that cannot be used.
  case corrupt(VaultEvidence)
  /// The authority could not be asked.
  case authority(Unavailability)
}

/// Why nobody is logged in.
public enum LogoutReason: Hashable, Sendable {
  /// Nothing was kept.
  case neverLoggedIn
  /// There was a session, and it is over.
  case ended(EndReason)
}

/// What a logout came to.
///
/// In memory nobody is logged in after any of these.
public enum LogoutResult: Hashable, Sendable {
  /// No lease runs or can start, the authority ended the session, the vault forgot it.
  ///
  /// A token that another process put into the vault meanwhile stays there; if it was this session's, it is dead.
  case complete
  /// Nobody was logged in.
  case alreadyLoggedOut
  /// The session is over here, and this remains, with what is known of the causes.
  ///
  /// Log out again to retry what was not revoked or erased; the logout of a later session retries what was not revoked, too.
  case partial(IncompleteCleanup, causes: [String])
}

/// Why a logout was not begun or not waited for.
public enum LogoutError: Error, Hashable, Sendable {
  /// It was asked for from inside a lease, for which it would wait for ever. Leave the lease first, or use ``SessionStore/beginLogOut()``.
  case insideLease
  /// The calling task was cancelled. The logout goes on.
  case cancelled
}

/// What a switch of users came to.
public struct UserSwitch: Hashable, Sendable {
  /// The key of the user who is logged in now.
  public let session: LoggedInSession
  /// What could not be finished of the session before.
  public let leftovers: IncompleteCleanup
}

/// Why a command of the store did not do what it was asked.
///
/// Every case leaves the session as it was, unless it says otherwise.
public enum SessionError: Error, Hashable, Sendable {
  /// The state of the session does not permit the command.
  case rejected(Rejection)
  /// The name and the password do not open an account, or the password is not that of the session's user.
  case credentialsNotAccepted
  /// Too many attempts.
  case throttled(Throttle)
  /// The authority could not be asked.
  case unavailable(Unavailability)
  /// The vault could not keep what the authority granted, so it does not count.
  ///
  /// The grant of a login was given back. After a renewal or a reauthentication the session stands under the token that it had.
  case notSaved(VaultError)
  /// The vault could not be read.
  case vault(VaultError)
  /// The vault holds something that cannot be used.
  case corrupt(VaultEvidence)
  /// The session is over.
  case ended(EndReason)
  /// Another process changed the kept session first; what is kept now was adopted.
  case overtaken
  /// The clock could not be read, so nobody can tell.
  case clock(ClockError)
  /// It was asked for from inside a lease, for whose end it would wait: leave the lease first.
  case insideLease
  /// The calling task was cancelled. The work goes on.
  case cancelled

  /// The reasons for which a state does not permit a command.
  ///
  /// Nothing changed.
  public enum Rejection: String, Hashable, Sendable, CaseIterable {
    /// Nobody is logged in, so there is nothing to renew, check or switch from.
    case notLoggedIn
    /// Somebody is logged in already.
    case alreadyLoggedIn
    /// Nobody is logged in, and nothing is left to clean up.
    case alreadyLoggedOut
    /// A logout could not be finished: finish it, or log in.
    case logoutUnfinished
    /// An authentication is under way, and there is at most one.
    case alreadyInProgress
    /// The session is busy with other work; ask again when that has ended.
    case renewalInProgress
    /// Renewed often enough for this window.
    case renewedRecently
    /// The session is being ended.
    case logoutInProgress
  }
}
