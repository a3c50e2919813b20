/// The result of restoring a session.
///
/// Frozen: a later version adds no case.
public enum RestoreOutcome: Hashable, Sendable {
  /// The session is active, and this is its key.
  case loggedIn(LoggedInSession)
  /// Nobody is logged in.
  case loggedOut(LogoutReason)
  /// The session could not be checked; nothing was lost. Try again.
  case obstructed(RestoreFailure)
  /// A login or a logout finished first.
  case overtaken
  /// The calling task was cancelled; the work continues.
  case cancelled
  /// The limit of the call has passed; the work continues.
  case timedOut
}

/// Why it is unknown whether the saved session is active.
///
/// The user is neither logged in nor logged out. Frozen: a later version adds no case.
public indirect enum RestoreFailure: Error, Hashable, Sendable {
  /// The vault could not be read.
  case vault(VaultError)
  /// The content of the vault is unusable.
  case corrupt(VaultEvidence)
  /// The authority is unavailable.
  case authority(Unavailability)
}

/// Why nobody is logged in.
///
/// Frozen: a later version adds no case.
public enum LogoutReason: Hashable, Sendable {
  /// The vault was empty.
  case neverLoggedIn
  /// There was a session, and it has ended.
  case ended(EndReason)
}

/// The result of a logout.
///
/// After each of these, the session is no longer active in this process.
/// Frozen: a later version adds no case.
public enum LogoutResult: Hashable, Sendable {
  /// No lease runs or can start, the authority ended the session, and the vault erased its token.
  ///
  /// If another process wrote a different token into the vault meanwhile, that token stays there.
  /// If it belongs to this session, it no longer works.
  case complete
  /// As ``complete``, except that the authority cannot end a session before it expires there: a
  /// copy of its token still works.
  ///
  /// Logging out again changes nothing.
  case withoutRevocation
  /// Nobody was logged in, or the session to end had ended before.
  case alreadyLoggedOut
  /// The session has ended in this process, but this cleanup remains, with the known causes.
  ///
  /// Log out again to retry what was not revoked or erased. The logout of a later session also
  /// retries what was not revoked.
  case partial(IncompleteCleanup, causes: [String])
}

/// Why a logout did not begin, or why the caller did not wait for it.
///
/// Frozen: a later version adds no case.
public enum LogoutError: Error, Hashable, Sendable {
  /// The caller is inside a lease, and the logout would wait for that lease forever. Leave the
  /// lease first, or use ``SessionStore/beginLogOut(_:)``.
  case insideLease
  /// The calling task was cancelled. The logout continues.
  case cancelled
  /// The limit of the call has passed. The logout continues.
  case timedOut
}

/// The result of a login, a switch of users, a reauthentication, or an answer to a challenge.
///
/// Both cases are expected. The compiler warns if you ignore the result.
/// Frozen: a later version adds no case.
public enum LoginResult: Hashable, Sendable {
  /// The user is logged in, and this is the key.
  case loggedIn(LoggedInSession)
  /// The authority requires a second step, or the answer to it was wrong and the authority asks
  /// again: call ``SessionStore/answer(_:to:within:)`` or ``SessionStore/cancel(_:)``.
  ///
  /// Until then nothing has changed: a user who was logged in still is.
  case challenged(Challenge)

  /// The key; nil if a second step is required.
  public var session: LoggedInSession? {
    if case .loggedIn(let session) = self { session } else { nil }
  }
}

/// Why a command of the store failed.
///
/// The session does not change, unless a case says otherwise. Frozen: a later version adds no case.
public enum SessionError: Error, Hashable, Sendable {
  /// The state of the session does not permit the command.
  case rejected(Rejection)
  /// The name and the password do not match an account, or the password is not that of the
  /// session's user.
  case credentialsNotAccepted
  /// A login at a server, such as in a browser, has ended without a session, for this reason.
  case loginRefused(LoginRefusal)
  /// Too many attempts.
  case throttled(Throttle)
  /// The authority is unavailable.
  case unavailable(Unavailability)
  /// The vault could not save the granted token, so the grant is not used.
  ///
  /// After a login, the store revoked the grant. After a renewal or a reauthentication, the session
  /// continues with its old token. At an authority that spends the old token
  /// (``TokenExchange/spendsOld``) that token is gone: the store keeps the new one, and the next
  /// command saves it. A password check that threw this was accepted there, and makes the session
  /// fresh at that moment.
  case notSaved(VaultError)
  /// The vault could not be read.
  case vault(VaultError)
  /// The content of the vault is unusable.
  case corrupt(VaultEvidence)
  /// The session has ended.
  case ended(EndReason)
  /// Another process changed the saved session first, and the store adopted that change.
  case overtaken
  /// The clock could not be read, so it is unknown whether a limit is reached.
  case clock(ClockError)
  /// The caller is inside a lease for which the command would wait: leave the lease first.
  case insideLease
  /// The calling task was cancelled. The work continues.
  case cancelled
  /// The limit of the call has passed. The work continues.
  case timedOut

  /// Why the current state does not permit a command.
  ///
  /// Nothing changed. A later version may add reasons.
  public struct Rejection: Hashable, Sendable {
    /// Nobody is logged in, so there is nothing to renew, check, switch from or end.
    public static let notLoggedIn = Rejection(kind: .notLoggedIn)
    /// A user is already logged in.
    public static let alreadyLoggedIn = Rejection(kind: .alreadyLoggedIn)
    /// The challenge was answered or cancelled, has expired, or has no tries left.
    public static let challengeOver = Rejection(kind: .challengeOver)
    /// The last logout could not finish its cleanup: log out again, or log in.
    public static let logoutUnfinished = Rejection(kind: .logoutUnfinished)
    /// Another login or password check is under way; only one is permitted.
    public static let alreadyInProgress = Rejection(kind: .alreadyInProgress)
    /// The session is busy with other work; try again when that has ended.
    public static let renewalInProgress = Rejection(kind: .renewalInProgress)
    /// All renewals of the last minute failed, so the idle limit has not moved; try again later.
    public static let renewalsFailed = Rejection(kind: .renewalsFailed)
    /// A logout is under way.
    public static let logoutInProgress = Rejection(kind: .logoutInProgress)
    /// The key belongs to a session of another store.
    public static let otherSession = Rejection(kind: .otherSession)
    /// The command would wait for the caller's lease; callers get ``SessionError/insideLease``.
    package static let insideLease = Rejection(kind: .insideLease)
    /// The store was released; callers get ``SessionError/ended(_:)``.
    package static let storeReleased = Rejection(kind: .storeReleased)

    /// The reasons of this version, for a `switch` inside this package.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case notLoggedIn, alreadyLoggedIn, challengeOver, logoutUnfinished, alreadyInProgress, renewalInProgress
      case renewalsFailed, logoutInProgress, otherSession, insideLease, storeReleased
    }

    package let kind: Kind
  }
}
