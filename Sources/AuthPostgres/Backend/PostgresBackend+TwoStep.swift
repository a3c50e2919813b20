package import AuthBackend
package import AuthCore
import AuthDevice
import TextFormat

/// The second step of a login.
///
/// The server has the secret and the clock, and judges each code.
extension PostgresBackend {
  package func answer(_ code: Password, to challenge: Challenge) throws(BackendError) -> Grant {
    guard let open = steps.takeTry(challenge.token, at: try now()) else { throw .stepNotAccepted }
    do throws(BackendError) {
      guard let grant = try judged(open.request.guess.with(code: Self.sent(code)), for: open.request.step) else {
        throw .stepNotAccepted
      }
      steps.close(open.token)
      return grant
    } catch {
      switch error.kind {
      case .challenged(let next):
        // It was wrong, and this challenge goes on instead of a next one.
        steps.close(next.token)
        if open.triesLeft > 0 { throw .challenged(open.challenge) }
        steps.close(open.token)
        throw .stepNotAccepted
      case .credentials:
        steps.close(open.token)
        throw .stepNotAccepted
      case .session: steps.close(open.token)
      case .invalid, .refused, .notFresh, .notPermitted, .throttled, .unavailable: steps.returnTry(open.token)
      }
      throw error
    }
  }

  package func twoStep(token: SessionToken) throws(BackendError) -> TwoStepState {
    let answer = try server.first(try call("two_step", token, [], .none))
    guard let codes = answer.number(4) else { throw server.malformed() }
    return TwoStepState(
      since: answer.number(2).map { WallTime(microseconds: $0) }, isPending: answer.flag(3), recoveryCodes: Int(codes),
      isRequired: answer.flag(5))
  }

  package func beginTwoStep(token: SessionToken) throws(BackendError) -> TwoStepSecret {
    // Repeated, it makes another secret in place of the one whose answer was lost.
    let answer = try server.first(try call("begin_two_step", token, [], .repeatable))
    guard let secret = answer.text(2).flatMap({ Hex.bytes(Array($0.utf8)) }), let name = answer.text(3) else {
      throw server.malformed()
    }
    return TwoStepSecret(bytes: secret, username: name)
  }

  package func confirmTwoStep(_ code: Password, token: SessionToken) throws(BackendError) {
    _ = try call("confirm_two_step", token, [.bytes(Self.sent(code))], .once)
  }

  package func endTwoStep(_ code: Password, token: SessionToken) throws(BackendError) {
    let code = Self.sent(code)
    let ticket = try Secrets.random(count: 16)
    _ = try heard { (again) throws(BackendError) in
      try ticketed("start_two_step_end", ticket, token, [.bytes(SHA256.hash(code)), .flag(again)])
    }
    let answer = try ticketed("finish_two_step_end", ticket, token, [.bytes(code)])
    try take(answer)
    guard answer.text(0) == "ok" else { throw server.malformed() }
  }

  package func twoStepPolicy(token: SessionToken) throws(BackendError) -> TwoStepPolicy {
    try server.first(try call("two_step_policy", token, [], .none)).number(2) == 1 ? .required : .optional
  }

  package func setTwoStepPolicy(_ policy: TwoStepPolicy, token: SessionToken) throws(BackendError) {
    _ = try call("set_two_step_policy", token, [.flag(policy == .required)], .once)
  }

  /// What is sent of a code: the digits of an authenticator app without blanks, or a recovery code
  /// as it is hashed.
  ///
  /// Nothing is sent of what can be neither, and it is wrong.
  private static func sent(_ typed: Password) -> [UInt8] {
    let digits = typed.bytes.filter { $0 != UInt8(ascii: " ") }
    if digits.count == TOTP.digits { return digits }
    let code = RecoveryCode(typed: typed.bytes)
    return code.isWellFormed ? code.canonical : []
  }

  /// The present instant of the server's clock, which was heard when the challenge was opened.
  private func now() throws(BackendError) -> BootInstant {
    do throws(ClockError) {
      return try server.clock.now()
    } catch {
      throw .unavailable(.unreadable, "clock_unreadable", error.description, hint: error.hint)
    }
  }

  /// When the server answered.
  func instant(of answer: Answer) throws(BackendError) -> BootInstant {
    guard let time = answer.number(1) else { throw server.malformed() }
    return BootInstant(boot: try server.identify(), uptime: .nanoseconds(time))
  }
}
