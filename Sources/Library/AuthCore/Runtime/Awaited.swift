import ConcurrencyKit

/// The awaited commands, at most one of each kind; callers that join share its promise.
///
/// The machine's new state settles them, not the end of the work: a login that a logout overtook
/// has ended, even if the authority never answers it.
struct Awaited {
  var restore: Promise<RestoreOutcome>?
  var work: Promise<Result<LoginResult, SessionError>>?
  /// The same work, for callers inside a lease: they learn that the session has ended even if the
  /// work continues with another session, because that waits for their lease.
  var leasedWork: Promise<Result<LoginResult, SessionError>>?
  /// Fulfilled at each change after which a command that other work preceded may be sent again.
  var turn: Promise<Void>?
  var logout: Promise<LogoutResult>?
  /// The error of the work under way, once it is known.
  private(set) var failure: SessionError?
  /// The causes of incomplete cleanup in the logout under way.
  var causes: [String] = []
  /// Whether the authority cannot revoke a token of the logout under way.
  var cannotRevoke = false

  /// Returns the promise of a command under way, and creates it when the command begins.
  static func begin<Value>(_ command: inout Promise<Value>?) -> Promise<Value> {
    let promise = command ?? Promise()
    command = promise
    return promise
  }

  /// What a caller of a command about a session waits for.
  enum Wait {
    /// The result of the work that the command began or joined.
    case result(Promise<Result<LoginResult, SessionError>>)
    /// The end of other work; then the command is sent again.
    case turn(Promise<Void>)
    /// Nothing: the command was not accepted.
    case nothing
  }

  /// Returns what the caller waits for after this reaction.
  mutating func wait(after reaction: Reaction, _ caller: CommandCaller) -> Wait {
    switch reaction {
    case .transition where caller.isInsideLease: .result(Self.begin(&leasedWork))
    case .transition: .result(Self.begin(&work))
    case .rejected(.renewalInProgress): .turn(Self.begin(&turn))
    case .rejected, .ignored: .nothing
    }
  }

  /// Settles the commands that the new state decides.
  mutating func settle(_ state: SessionState, _ key: LoggedInSession?, _ failure: SessionError?) -> [Settlement] {
    if let failure, work != nil || leasedWork != nil { self.failure = failure }
    let failure = self.failure
    switch state {
    case .restoring(let state):
      guard state.reading == nil else { return [] }
      return settle(
        restore: state.obstacle.map { .obstructed($0) } ?? .overtaken, work: .failure(failure ?? .overtaken))
    case .loggedOut(let state):
      return settle(
        restore: .loggedOut(state.reason), work: .failure(state.reason.failure(of: failure)),
        logout: state.leftovers == .none
          ? cannotRevoke ? .withoutRevocation : .complete : .partial(state.leftovers, causes: causes))
    case .authenticating:
      return settle(restore: .overtaken) + settleTurn()
    case .challenged(let state):
      guard state.step == .waiting else { return [] }
      return settle(work: failure.map { .failure($0) } ?? .success(.challenged(state.challenge)))
    case .loggedIn:
      // Those of a switch of users.
      (causes, cannotRevoke) = ([], false)
      guard let key else { return [] }
      return settle(restore: .loggedIn(key), work: failure.map { .failure($0) } ?? .success(.loggedIn(key)))
    case .renewing:
      return []
    case .loggingOut(let state):
      let ended = SessionError.ended(state.reason)
      guard state.successor == nil else {
        return settleTurn() + (leasedWork.take().map { [.work($0, .failure(ended))] } ?? [])
      }
      return settle(work: .failure(LogoutReason.ended(state.reason).failure(of: failure)))
    }
  }

  /// Settles the commands when the store is released.
  ///
  /// A logout continues, and ends within its time limit.
  mutating func abandon() -> [Settlement] {
    settle(restore: .overtaken, work: .failure(.ended(.storeReleased)))
  }

  private mutating func settleTurn() -> [Settlement] { turn.take().map { [.turn($0)] } ?? [] }

  /// Settles the commands that have an outcome, if they are awaited.
  private mutating func settle(
    restore: RestoreOutcome? = nil, work: Result<LoginResult, SessionError>? = nil, logout: LogoutResult? = nil
  ) -> [Settlement] {
    var settled: [Settlement] = []
    if let restore, let promise = self.restore.take() { settled.append(.restore(promise, restore)) }
    if let work {
      for promise in [self.work.take(), leasedWork.take()] {
        if let promise { settled.append(.work(promise, work)) }
      }
      settled += settleTurn()
      failure = nil
    }
    if let logout {
      if let promise = self.logout.take() { settled.append(.logout(promise, logout)) }
      (causes, cannotRevoke) = ([], false)
    }
    return settled
  }
}

/// A promise and its value; fulfil it with no lock held.
indirect enum Settlement: Sendable {
  case restore(Promise<RestoreOutcome>, RestoreOutcome)
  case work(Promise<Result<LoginResult, SessionError>>, Result<LoginResult, SessionError>)
  case logout(Promise<LogoutResult>, LogoutResult)
  case turn(Promise<Void>)

  func fulfil() {
    switch self {
    case .restore(let promise, let outcome): promise.fulfil(outcome)
    case .work(let promise, let outcome): promise.fulfil(outcome)
    case .logout(let promise, let outcome): promise.fulfil(outcome)
    case .turn(let promise): promise.fulfil(())
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
