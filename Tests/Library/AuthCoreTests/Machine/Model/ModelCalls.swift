@testable import AuthCore

// Which callers a state must accept: said independently of the machine.
extension SessionState {
  /// Whether a command is about a session or a challenge that is not the state's.
  func isAboutAnother(_ event: SessionEvent) -> Bool {
    guard case .command(let command, let subject, _) = event else { return false }
    switch command {
    case .answer, .cancel: return presentChallenge.map { subject != .challenge($0.token) } ?? true
    case .restore, .logIn: return false
    case .session: return isAboutAnotherSession(subject)
    case .logOut:
      switch self {
      // Whichever session was meant, it has ended, and its cleanup is what the caller wants.
      case .loggedOut: return subject == .nobody
      case .loggingOut(let state) where state.successor == nil: return subject == .nobody
      case .restoring, .authenticating, .challenged, .loggedIn, .renewing, .loggingOut:
        return isAboutAnotherSession(subject)
      }
    }
  }

  private func isAboutAnotherSession(_ subject: CommandSubject) -> Bool {
    let successor = if case .loggingOut(let state) = self { state.successor } else { SessionRecord?.none }
    let present = session ?? successor
    return switch subject {
    case .anyone: false
    case .session(let began): present?.began != began
    case .user(let user): present?.grant.user.id != user
    case .nobody, .challenge: true
    }
  }

  /// Whether the caller is inside a lease for which the command would wait.
  func wouldWaitForItself(_ event: SessionEvent) -> Bool {
    guard case .command(let command, _, let caller) = event, caller.isInsideLease else { return false }
    return switch command {
    case .logOut, .session(.switchUser): true
    case .answer: answerEndsSession
    case .restore, .logIn, .session, .cancel: false
    }
  }

  private var answerEndsSession: Bool {
    switch self {
    case .challenged(let state): if case .session(_, .switchUser) = state.from { true } else { false }
    case .renewing(let state): state.beside?.purpose == .switchUser
    case .restoring, .loggedOut, .authenticating, .loggedIn, .loggingOut: false
    }
  }

  /// Whether the state must accept the command of this caller.
  func permits(_ event: SessionEvent) -> Bool {
    guard case .command(let command, _, let caller) = event, !isAboutAnother(event), !wouldWaitForItself(event) else {
      return false
    }
    if case .renewing(let state) = self, state.purpose == .check, command == .session(.check) {
      return caller.since.map { $0.number < state.epoch.number } ?? false
    }
    return permitted.contains(command)
  }
}
