import AuthBackend
package import AuthCore
import Guards

/// The challenges that wait for an answer, in the memory of this process.
///
/// An open one opens nothing, so nothing is lost with the process. What else ends it, such as a new
/// password, the backend looks at with the answer.
package final class OpenSteps<Request: Sendable>: Sendable {
  /// A challenge that takes an answer.
  package struct Open: Sendable {
    package let token: SessionToken
    /// What a right answer goes on with.
    package let request: Request
    let deadline: BootInstant
    package var triesLeft = TwoStepRules.tries

    package var challenge: Challenge {
      Challenge(token: token, question: .code(digits: TOTP.digits), triesLeft: triesLeft, deadline: .at(deadline))
    }
  }

  // A list and not a dictionary: there is one entry or none, and the first dictionary of a kind
  // costs a short process more than that.
  private let open = Locked<[Open]>([])

  package init() {}

  /// Opens a challenge under a new, random token, and forgets those that are past their deadline.
  package func open(for request: Request, token: SessionToken, at now: BootInstant) -> Challenge {
    let new = Open(token: token, request: request, deadline: now.advanced(by: TwoStepRules.time))
    open.withLock { open in
      open.removeAll { !$0.deadline.isAhead(of: now) }
      open.append(new)
    }
    return new.challenge
  }

  /// Takes a try of a challenge; nil when it is over or has none.
  package func takeTry(_ token: SessionToken, at now: BootInstant) -> Open? {
    open.withLock { open in
      open.removeAll { !$0.deadline.isAhead(of: now) }
      guard let index = open.firstIndex(where: { $0.token == token }), open[index].triesLeft > 0 else { return nil }
      open[index].triesLeft -= 1
      return open[index]
    }
  }

  /// Gives a try back: the answer was not checked.
  package func returnTry(_ token: SessionToken) {
    open.withLock { open in
      if let index = open.firstIndex(where: { $0.token == token }) { open[index].triesLeft += 1 }
    }
  }

  /// Ends a challenge.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package func close(_ token: SessionToken) -> Bool {
    open.withLock { open in
      let count = open.count
      open.removeAll { $0.token == token }
      return open.count < count
    }
  }
}

extension BootInstant {
  /// Whether it is still to come, in the same boot.
  package func isAhead(of now: BootInstant) -> Bool { boot == now.boot && uptime > now.uptime }
}
