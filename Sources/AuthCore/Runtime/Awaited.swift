import Guards

/// The awaited commands, at most one of each kind; callers that join share its promise.
///
/// The machine's new state settles them, not the end of the work: a login that a logout overtook
/// has ended, even if the authority never answers it.
struct Awaited {
  var restore: Promise<RestoreOutcome>?
  var work: Promise<Result<LoginResult, SessionError>>?
  var logout: Promise<LogoutResult>?
  /// The error of the work under way, once it is known.
  private(set) var failure: SessionError?
  /// The causes of incomplete cleanup in the logout under way.
  var causes: [String] = []

  /// Returns the promise of a command under way, and creates it when the command begins.
  mutating func begin<Value>(_ command: WritableKeyPath<Awaited, Promise<Value>?>) -> Promise<Value> {
    let promise = self[keyPath: command] ?? Promise()
    self[keyPath: command] = promise
    return promise
  }

  /// Settles the commands that the new state decides.
  mutating func settle(_ state: SessionState, _ key: LoggedInSession?, _ failure: SessionError?) -> [Settlement] {
    if let failure, work != nil { self.failure = failure }
    let (failure, causes) = (self.failure, causes)
    var settled: [Settlement] = []
    switch state {
    case .restoring(let state):
      guard state.reading == nil else { break }
      settle(restore: state.obstacle.map { .obstructed($0) } ?? .overtaken, &settled)
      settle(work: .failure(failure ?? .overtaken), &settled)
    case .loggedOut(let state):
      settle(restore: .loggedOut(state.reason), &settled)
      settle(work: .failure(state.reason.failure(of: failure)), &settled)
      settle(logout: state.leftovers == .none ? .complete : .partial(state.leftovers, causes: causes), &settled)
    case .authenticating:
      settle(restore: .overtaken, &settled)
    case .challenged(let state):
      switch state.step {
      case .waiting: settle(work: failure.map { .failure($0) } ?? .success(.challenged(state.challenge)), &settled)
      case .answering: break
      }
    case .loggedIn:
      guard let key else { break }
      settle(restore: .loggedIn(key), &settled)
      settle(work: failure.map { .failure($0) } ?? .success(.loggedIn(key)), &settled)
    case .renewing:
      break
    case .loggingOut(let state):
      guard state.successor == nil else { break }
      settle(work: .failure(LogoutReason.ended(state.reason).failure(of: failure)), &settled)
    }
    return settled
  }

  /// Settles the commands when the store is released.
  ///
  /// A logout continues, and ends within its time limit.
  mutating func abandon() -> [Settlement] {
    var settled: [Settlement] = []
    settle(restore: .overtaken, &settled)
    settle(work: .failure(.ended(.storeReleased)), &settled)
    return settled
  }

  private mutating func settle(restore outcome: @autoclosure () -> RestoreOutcome, _ settled: inout [Settlement]) {
    if let promise = restore.take() { settled.append(.restore(promise, outcome())) }
  }

  private mutating func settle(
    work outcome: @autoclosure () -> Result<LoginResult, SessionError>, _ settled: inout [Settlement]
  ) {
    if let promise = work.take() { settled.append(.work(promise, outcome())) }
    failure = nil
  }

  private mutating func settle(logout outcome: @autoclosure () -> LogoutResult, _ settled: inout [Settlement]) {
    if let promise = logout.take() { settled.append(.logout(promise, outcome())) }
    causes = []
  }
}

/// A promise and its value; fulfil it with no lock held.
indirect enum Settlement: Sendable {
  case restore(Promise<RestoreOutcome>, RestoreOutcome)
  case work(Promise<Result<LoginResult, SessionError>>, Result<LoginResult, SessionError>)
  case logout(Promise<LogoutResult>, LogoutResult)

  func fulfil() {
    switch self {
    case .restore(let promise, let outcome): promise.fulfil(outcome)
    case .work(let promise, let outcome): promise.fulfil(outcome)
    case .logout(let promise, let outcome): promise.fulfil(outcome)
    }
  }
}

extension LogoutReason {
  /// The error of work whose session has ended: the end reason says more than `overtaken`.
  fileprivate func failure(of work: SessionError?) -> SessionError {
    if let work, work != .overtaken { return work }
    return switch self {
    case .neverLoggedIn: .overtaken
    case .ended(let reason): .ended(reason)
    }
  }
}
