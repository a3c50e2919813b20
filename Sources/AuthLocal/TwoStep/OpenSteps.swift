import AuthBackend
import AuthCore
import Guards

/// What a right answer to a challenge goes on with.
struct StepRequest: Sendable {
  /// The session whose password was checked; nil for a login.
  let session: SessionToken?
  let limits: LimitRequest
}

/// The challenges that wait for an answer, in the memory of this process.
///
/// An open one opens nothing, so nothing is lost with the process. What else ends it, such as a new
/// password, is in the database and is looked at with the answer.
final class OpenSteps: Sendable {
  /// A challenge that takes an answer.
  struct Open: Sendable {
    let token: SessionToken
    let account: Int64
    /// What the password was right for: a new password ends the challenge.
    let passwordHash: String
    let request: StepRequest
    let deadline: BootInstant
    var triesLeft = TwoStepRules.tries

    var challenge: Challenge {
      Challenge(
        token: token, question: .code(digits: TOTP.digits), triesLeft: triesLeft, deadline: .at(deadline))
    }
  }

  /// A session whose next password needs no code.
  private struct Excuse: Sendable {
    let session: SessionID
    let passwordHash: String
    let deadline: BootInstant
  }

  // Lists and not dictionaries: there is one entry or none, and the first dictionary of a kind
  // costs a short process more than that.
  private let open = Locked<[Open]>([])
  private let excuses = Locked<[Excuse]>([])

  /// Opens a challenge, and forgets those that are past their deadline.
  func open(
    for account: Int64, passwordHash: String, _ request: StepRequest, at now: BootInstant
  ) throws(BackendError) -> Challenge {
    let new = Open(
      token: SessionToken(bytes: try Secrets.random(count: 32)), account: account, passwordHash: passwordHash,
      request: request, deadline: now.advanced(by: TwoStepRules.time))
    open.withLock { open in
      open.removeAll { !$0.deadline.isAhead(of: now) }
      open.append(new)
    }
    return new.challenge
  }

  /// Takes a try of a challenge; nil when it is over or has none.
  func takeTry(_ token: SessionToken, at now: BootInstant) -> Open? {
    open.withLock { open in
      open.removeAll { !$0.deadline.isAhead(of: now) }
      guard let index = open.firstIndex(where: { $0.token == token }), open[index].triesLeft > 0 else { return nil }
      open[index].triesLeft -= 1
      return open[index]
    }
  }

  /// Gives a try back: the answer was not checked.
  func returnTry(_ token: SessionToken) {
    open.withLock { open in
      if let index = open.firstIndex(where: { $0.token == token }) { open[index].triesLeft += 1 }
    }
  }

  /// Ends a challenge.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func close(_ token: SessionToken) -> Bool {
    open.withLock { open in
      let count = open.count
      open.removeAll { $0.token == token }
      return open.count < count
    }
  }

  /// Lets the next reauthentication of a session pass without a code, for a minute.
  func excuse(_ session: SessionID, with passwordHash: String, at now: BootInstant) {
    excuses.withLock { excuses in
      excuses.removeAll { $0.session == session || !$0.deadline.isAhead(of: now) }
      excuses.append(
        Excuse(session: session, passwordHash: passwordHash, deadline: now.advanced(by: TwoStepRules.excuse)))
    }
  }

  /// Whether a session needs no code now.
  ///
  /// It does need one the next time.
  func takeExcuse(_ session: SessionID, with passwordHash: String, at now: BootInstant) -> Bool {
    excuses.withLock { excuses in
      let count = excuses.count
      excuses.removeAll {
        $0.session == session && $0.passwordHash == passwordHash && $0.deadline.isAhead(of: now)
      }
      return excuses.count < count
    }
  }
}

extension BootInstant {
  /// Whether it is still to come, in the same boot.
  fileprivate func isAhead(of now: BootInstant) -> Bool { boot == now.boot && uptime > now.uptime }
}
