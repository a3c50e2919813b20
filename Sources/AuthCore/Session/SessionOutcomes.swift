/// The result of restoring a session.
public enum RestoreOutcome: Hashable, Sendable {
  /// The session is active, and this is its key.
  case loggedIn(LoggedInSession)
  /// Nobody is logged in.
  case loggedOut(LogoutReason)
  /// The session could not be checked; nothing was lost. Try again.
  case obstructed(RestoreFailure)
  /// A login or a logout was faster.
  case overtaken
  /// The calling task was cancelled; the work goes on.
  case cancelled
}

/// Why the store cannot tell whether the saved session is active.
///
/// The user counts as neither logged in nor logged out.
public indirect enum RestoreFailure: Error, Hashable, Sendable {
  /// The vault could not be read.
  case vault(VaultError)
  /// The vault holds something that cannot be used.
  case corrupt(VaultEvidence)
  /// The authority could not be asked.
  case authority(Unavailability)
}

/// Why nobody is logged in.
public enum LogoutReason: Hashable, Sendable {
  /// The vault was empty.
  case neverLoggedIn
  /// There was a session, and it is over.
  case ended(EndReason)
}

/// The result of a logout.
///
/// After each of these, nobody is logged in in this process.
public enum LogoutResult: Hashable, Sendable {
  /// No lease runs or can start, the authority ended the session, and the vault erased its token.
  ///
  /// A token that another process put into the vault meanwhile stays there; if it belongs to this
  /// session, it no longer works.
  case complete
  /// Nobody was logged in.
  case alreadyLoggedOut
  /// The session is over here, but this cleanup remains, with the known causes.
  ///
  /// Log out again to retry what was not revoked or erased. The logout of a later session also
  /// retries what was not revoked.
  case partial(IncompleteCleanup, causes: [String])
}

/// Why a logout did not begin, or why the caller did not wait for it.
public enum LogoutError: Error, Hashable, Sendable {
  /// The caller is inside a lease, and the logout would wait for that lease forever. Leave the
  /// lease first, or use ``SessionStore/beginLogOut()``.
  case insideLease
  /// The calling task was cancelled. The logout goes on.
  case cancelled
}

/// The result of a renewal.
public enum Renewal: Hashable, Sendable {
  /// The authority noted the activity, and this is the key with the new limits.
  case renewed(LoggedInSession)
  /// The authority noted activity in this window of ``RenewalPolicy``, so it was not asked again. The
  /// session goes on with this key.
  case recent(LoggedInSession)

  /// The present key.
  public var session: LoggedInSession {
    switch self {
    case .renewed(let session), .recent(let session): session
    }
  }
}

/// The result of a switch of users.
public struct UserSwitch: Hashable, Sendable {
  /// The key of the user who is logged in now.
  public let session: LoggedInSession
  /// What remains to clean up of the previous session.
  public let leftovers: IncompleteCleanup
}

/// Why a command of the store failed.
///
/// Every case leaves the session as it was, unless it says otherwise.
public enum SessionError: Error, Hashable, Sendable {
  /// The state of the session does not permit the command.
  case rejected(Rejection)
  /// The name and the password do not match an account, or the password is not that of the
  /// session's user.
  case credentialsNotAccepted
  /// The password is right, and the authority asks for a second step; or the answer to it was
  /// wrong, and the authority asks again. See ``SessionStore/answer(_:to:)``.
  case challenged(Challenge)
  /// Too many attempts.
  case throttled(Throttle)
  /// The authority could not be asked.
  case unavailable(Unavailability)
  /// The vault could not save the granted token, so the grant is not used.
  ///
  /// After a login, the store revoked the grant. After a renewal or a reauthentication, the session
  /// goes on with its old token.
  case notSaved(VaultError)
  /// The vault could not be read.
  case vault(VaultError)
  /// The vault holds something that cannot be used.
  case corrupt(VaultEvidence)
  /// The session is over.
  case ended(EndReason)
  /// Another process changed the saved session first; the store adopted that change.
  case overtaken
  /// The clock could not be read, so nobody can tell.
  case clock(ClockError)
  /// The caller is inside a lease, and the command would wait for that lease: leave it first.
  case insideLease
  /// The calling task was cancelled. The work goes on.
  case cancelled

  /// Why the present state does not permit a command.
  ///
  /// Nothing changed.
  public enum Rejection: String, Hashable, Sendable, CaseIterable {
    /// Nobody is logged in, so there is nothing to renew, check or switch from.
    case notLoggedIn
    /// Somebody is logged in already.
    case alreadyLoggedIn
    /// Nobody is logged in, and nothing is left to clean up.
    case alreadyLoggedOut
    /// The challenge was answered or cancelled, or its time or its tries are up.
    case challengeOver
    /// The last logout could not finish: log out again, or log in.
    case logoutUnfinished
    /// Another login or password check is under way; there is at most one.
    case alreadyInProgress
    /// The session is busy with other work; try again when that has ended.
    case renewalInProgress
    /// The limit of renewals in this window is reached, and one of them succeeded. No command throws
    /// it: ``SessionStore/renew()`` returns ``Renewal/recent(_:)``.
    case renewedRecently
    /// The limit of renewals in this window is reached, and all of them failed: the idle limit has
    /// not moved. Try again when the window of ``RenewalPolicy`` is over.
    case renewalsFailed
    /// A logout is under way.
    case logoutInProgress
  }
}
