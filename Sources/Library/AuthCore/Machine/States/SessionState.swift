/// The state of a session.
///
/// Each case has its own type, with only the data of that state.
package indirect enum SessionState: Hashable, Sendable {
  /// It is not yet known whether a user is logged in.
  case restoring(Restoring)
  /// Nobody is logged in, and the reason.
  case loggedOut(LoggedOut)
  /// A login is under way.
  case authenticating(Authenticating)
  /// The authority requires a second step.
  case challenged(Challenged)
  /// A session is active.
  case loggedIn(LoggedIn)
  /// A session is active, and work on it is under way.
  case renewing(Renewing)
  /// The keys are dead, and the cleanup of the session is under way.
  case loggingOut(LoggingOut)

  /// The states by name.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case restoring
    case loggedOut
    case authenticating
    case challenged
    case loggedIn
    case renewing
    case loggingOut
  }

  /// The name of the state.
  package var kind: Kind {
    switch self {
    case .restoring: .restoring
    case .loggedOut: .loggedOut
    case .authenticating: .authenticating
    case .challenged: .challenged
    case .loggedIn: .loggedIn
    case .renewing: .renewing
    case .loggingOut: .loggingOut
    }
  }

  /// The active session, if any: the only source of keys.
  package var session: SessionRecord? {
    switch self {
    case .challenged(let state): state.session
    case .loggedIn(let state): state.session
    case .renewing(let state): state.session
    case .restoring, .loggedOut, .authenticating, .loggingOut: nil
    }
  }

  /// The active session, if no work on it is under way.
  var restingSession: SessionRecord? {
    switch self {
    case .loggedIn(let state): state.session
    case .challenged(let state): state.step == .waiting ? state.session : nil
    case .restoring, .loggedOut, .authenticating, .renewing, .loggingOut: nil
    }
  }

  /// The challenge that waits for the user's answer.
  var waitingChallenge: WaitingChallenge? {
    switch self {
    case .challenged(let state):
      state.step == .waiting
        ? WaitingChallenge(
          challenge: state.challenge, epoch: state.epoch) : nil
    case .renewing(let state):
      state.beside.map {
        WaitingChallenge(challenge: $0.challenge, epoch: $0.epoch)
      }
    case .restoring, .loggedOut, .authenticating, .loggedIn, .loggingOut: nil
    }
  }

  /// The epoch of the work, or of the user's answer, for which the state waits within a time limit.
  var awaitedEpoch: Epoch? {
    switch self {
    case .restoring(let state): state.reading
    case .authenticating(let state): state.epoch
    case .challenged(let state): state.epoch
    case .renewing(let state): state.epoch
    case .loggingOut(let state): state.epoch
    case .loggedOut, .loggedIn: nil
    }
  }

  /// The state as a ``MachineState``.
  var content: any MachineState {
    switch self {
    case .restoring(let state): state
    case .loggedOut(let state): state
    case .authenticating(let state): state
    case .challenged(let state): state
    case .loggedIn(let state): state
    case .renewing(let state): state
    case .loggingOut(let state): state
    }
  }
}

/// A challenge that waits for the user's answer, with the epoch of the wait.
struct WaitingChallenge: Hashable {
  let challenge: Challenge
  let epoch: Epoch
}
