import AuthAccounts
import AuthCore
import AuthRules
import Foundation
import Races
import Services
import Synchronization

/// Threads that use the services until it is over, whatever fails meanwhile.
struct Workers {
  let site: FailoverSite
  let acknowledged: Acknowledged
  private var threads: [pthread_t] = []

  init(_ site: FailoverSite, _ acknowledged: Acknowledged) {
    (self.site, self.acknowledged) = (site, acknowledged)
  }

  /// Ends them, and waits for that.
  func end() {
    acknowledged.state.withLock { $0.isOver = true }
    for thread in threads { pthread_join(thread, nil) }
  }

  private mutating func repeatedly(_ body: @escaping @Sendable () -> Void) {
    threads.append(startedThread { [acknowledged] in while !acknowledged.isOver { body() } })
  }

  /// Pays one unit after the other; each is repeated until it is answered.
  ///
  /// - Parameters:
  ///   - number: Of the payer, which chooses the service and the account.
  ///   - run: Makes the keys of this round its own.
  ///   - withKeys: Whether a repeated payment has the key of the first attempt.
  /// - Throws: When the payer cannot log in.
  mutating func pay(_ number: Int, run: Int, withKeys: Bool) throws {
    let client = site.client(number, isHasty: true)
    let (payer, payee) = number.isMultiple(of: 2) ? ("alice", "bob") : ("bob", "alice")
    let token = try site.ask(number) { service throws(BackendError) in
      try service.logIn(payer, FailoverSite.password).token
    }
    repeatedly { [acknowledged] in
      let key = acknowledged.state.withLock { state in
        state.begun += 1
        return "\(run)-\(state.begun)"
      }
      while !acknowledged.isOver {
        if let order = try? PaymentOrder("0.01", to: payee, key: withKeys ? key : nil),
          let receipt = try? client.ask(Operations.pay, order, token)
        {
          acknowledged.state.withLock { $0.payments.append((receipt.id, key)) }
          break
        }
        acknowledged.state.withLock { $0.failures += 1 }
        usleep(20_000)
      }
    }
  }

  /// Begins sessions and ends them.
  mutating func endSessions(_ number: Int) {
    let client = site.client(number, isHasty: true)
    repeatedly { [acknowledged] in
      guard let token = try? client.logIn("carol", FailoverSite.password).token,
        (try? client.ask(Operations.revoke, token, .userAsked)) != nil
      else { return }
      acknowledged.state.withLock { $0.ended.append(token) }
    }
  }

  /// Makes recovery codes, and sets the password with one after the other.
  mutating func useCodes(_ number: Int) {
    let client = site.client(number, isHasty: true)
    let passwords = [FailoverSite.password, newPassword]
    repeatedly { [acknowledged] in
      guard let present = passwords.first(where: { (try? client.logIn("dave", $0)) != nil }),
        let token = try? client.logIn("dave", present).token,
        let codes = try? client.ask(Operations.makeRecoveryCodes, token)
      else { return }
      var next = present
      for code in codes where !acknowledged.isOver {
        next = next == passwords[0] ? passwords[1] : passwords[0]
        guard (try? client.recover(username: "dave", code: code, password: next)) != nil else { break }
        acknowledged.state.withLock { $0.usedCodes.append(code) }
      }
    }
  }

  /// Turns on the second step of some accounts, and guesses their passwords.
  mutating func guess(_ number: Int, targets: Range<Int>) {
    let client = site.client(number, isHasty: true)
    let guessing = startedThread { [acknowledged] in
      for target in targets.map({ "target\($0)" }) where !acknowledged.isOver {
        if let token = try? client.logIn(target, FailoverSite.password).token,
          let secret = try? client.ask(Operations.beginTwoStep, token),
          (try? client.ask(Operations.confirmTwoStep, secret.code(at: .now()), token)) != nil
        {
          acknowledged.state.withLock { $0.secondSteps.append(target) }
        }
        for _ in 0..<4 where !acknowledged.isOver {
          if code({ try client.logIn(target, wrongPassword) }) == "credentials_not_accepted" {
            acknowledged.state.withLock { $0.guesses[target, default: 0] += 1 }
          }
        }
      }
    }
    threads.append(guessing)
  }
}
