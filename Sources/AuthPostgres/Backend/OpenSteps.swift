import AuthBackend
import AuthCore
import AuthLocal
import Guards

/// What a right guess goes on with.
enum StepRequest: Sendable {
  case login(name: String?, nameHash: [UInt8], origin: SessionOrigin?, limits: LimitRequest)
  case reauthentication(SessionToken, limits: LimitRequest)
  case passwordChange(SessionToken, BetterHash)
}

/// A hash of a password as the server keeps it, and the proof that opens it.
struct BetterHash: Sendable {
  let setting: String
  let proof: [UInt8]

  init(_ hash: String) {
    setting = PostgresBackend.setting(of: hash)
    proof = Array(hash.utf8)
  }

  var verifier: [UInt8] { SHA256.hash(proof) }
}

/// What is sent to be judged.
struct Guess: Sendable {
  let setting: String
  let proof: [UInt8]
  /// A hash at the cost of now, for an account whose hash is cheaper.
  let better: BetterHash?
  /// An answer to a challenge.
  let code: [UInt8]?

  /// The same guess with a code, when the account has taken the better hash.
  func with(code: [UInt8]) -> Guess {
    Guess(setting: better?.setting ?? setting, proof: better?.proof ?? proof, better: nil, code: code)
  }
}

/// The challenges that wait for an answer, in the memory of this process.
///
/// The server keeps none: it gets the proof of the password again, with the code, and judges both.
/// So whatever ends a challenge, such as a new password, is seen there.
final class OpenSteps: Sendable {
  /// A challenge that takes an answer.
  struct Open: Sendable {
    let token: SessionToken
    let request: StepRequest
    let guess: Guess
    let deadline: BootInstant
    var triesLeft = TwoStepRules.tries

    var challenge: Challenge {
      Challenge(token: token, question: .code(digits: TOTP.digits), triesLeft: triesLeft, deadline: .at(deadline))
    }
  }

  private let open = Locked<[Open]>([])

  /// Opens a challenge, and forgets those that are past their deadline.
  func open(for request: StepRequest, _ guess: Guess, at now: BootInstant) throws(BackendError) -> Challenge {
    let new = Open(
      token: SessionToken(bytes: try Secrets.random(count: ServerSchema.tokenLength)), request: request, guess: guess,
      deadline: now.advanced(by: TwoStepRules.time))
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
}

extension BootInstant {
  /// Whether it is still to come, by the clock of the same database.
  fileprivate func isAhead(of now: BootInstant) -> Bool { boot == now.boot && uptime > now.uptime }
}
