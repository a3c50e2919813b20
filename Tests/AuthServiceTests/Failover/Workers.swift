import AuthBackend
import AuthCore
import AuthDevice
import Foundation
import Synchronization

@testable import AuthService

/// Threads that use the services until it is over, whatever fails meanwhile.
struct Workers {
  let site: FailoverSite
  let acknowledged: Acknowledged
  private var threads: [Thread] = []

  init(_ site: FailoverSite, _ acknowledged: Acknowledged) {
    (self.site, self.acknowledged) = (site, acknowledged)
  }

  /// Ends them, and waits for that.
  func end() {
    acknowledged.state.withLock { $0.isOver = true }
    for thread in threads { while !thread.isFinished { usleep(5_000) } }
  }

  private mutating func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    threads.append(thread)
    thread.start()
  }

  private static func logIn(_ name: String, _ password: String, _ client: ServiceConnection) throws -> SessionToken {
    guard case .grant(let grant) = try client.perform(ServiceClient.login(name, password)) else {
      throw ServiceFault.unasked
    }
    return grant.token
  }

  /// Pays one unit after the other; each is repeated until it is answered.
  ///
  /// - Parameters:
  ///   - number: Of the payer, which chooses the service and the account.
  ///   - run: Makes the keys of this round its own.
  ///   - withKeys: Whether a repeated payment has the key of the first attempt.
  /// - Throws: When the payer cannot log in.
  mutating func pay(_ number: Int, run: Int, withKeys: Bool) throws {
    let client = site.client(number)
    let (payer, payee) = number.isMultiple(of: 2) ? ("alice", "bob") : ("bob", "alice")
    let token = try Self.logIn(payer, RunningService.password, client)
    let (amount, to) = (try Amount(minorUnits: 1), try Username(payee))
    start { [acknowledged] in
      var count = 0
      while !acknowledged.isOver {
        count += 1
        acknowledged.state.withLock { $0.begun += 1 }
        let key = "\(run)-\(number)-\(count)"
        while !acknowledged.isOver {
          let order = PaymentOrder(amount: amount, payee: to, key: withKeys ? try? IdempotencyKey(key) : nil)
          if case .receipt(let receipt)? = try? client.perform(.pay(order, token)) {
            acknowledged.state.withLock { $0.payments.append((receipt.id, key)) }
            break
          }
          acknowledged.state.withLock { $0.failures += 1 }
          usleep(20_000)
        }
      }
    }
  }

  /// Begins sessions and ends them.
  mutating func endSessions(_ number: Int) {
    let client = site.client(number)
    start { [acknowledged] in
      while !acknowledged.isOver {
        guard let token = try? Self.logIn("carol", RunningService.password, client),
          case .done? = try? client.perform(.revoke(token, .userAsked))
        else { continue }
        acknowledged.state.withLock { $0.ended.append(token) }
      }
    }
  }

  /// Makes recovery codes, and sets the password with one after the other.
  mutating func useCodes(_ number: Int) {
    let client = site.client(number)
    start { [acknowledged] in
      let passwords = [RunningService.password, "another long good password"]
      while !acknowledged.isOver {
        guard let present = passwords.first(where: { (try? Self.logIn("dave", $0, client)) != nil }),
          let token = try? Self.logIn("dave", present, client),
          case .recoveryCodes(let codes)? = try? client.perform(.makeRecoveryCodes(token))
        else { continue }
        var next = present
        for code in codes where !acknowledged.isOver {
          next = next == passwords[0] ? passwords[1] : passwords[0]
          guard case .user? = try? client.perform(.recover(username: "dave", code, Secret(next))) else { break }
          acknowledged.state.withLock { $0.usedCodes.append(code) }
        }
      }
    }
  }

  /// Turns on the second step of some accounts, and guesses their passwords.
  mutating func guess(_ number: Int, targets: Range<Int>) {
    let client = site.client(number)
    start { [acknowledged] in
      for target in targets.map({ "target\($0)" }) where !acknowledged.isOver {
        if let token = try? Self.logIn(target, RunningService.password, client),
          case .twoStepSecret(let secret)? = try? client.perform(.beginTwoStep(token)),
          case .done? = try? client.perform(.confirmTwoStep(secret.code(at: .now()), token))
        {
          acknowledged.state.withLock { $0.secondSteps.append(target) }
        }
        for _ in 0..<4 where !acknowledged.isOver {
          do throws(BackendError) {
            _ = try client.perform(ServiceClient.login(target, "a wrong password"))
          } catch {
            guard error.code == "credentials_not_accepted" else { continue }
            acknowledged.state.withLock { $0.guesses[target, default: 0] += 1 }
          }
        }
      }
    }
  }
}
