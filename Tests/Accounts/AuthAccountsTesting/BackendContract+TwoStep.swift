import AuthAccounts
import AuthCore
import AuthCoreTesting
import AuthRules

extension Sample {
  static let twoStep = [
    Sample(Operations.twoStep) { $0.token },
    Sample(Operations.beginTwoStep) { $0.token },
    Sample(Operations.confirmTwoStep) { ($0.code, $0.token) },
    Sample(Operations.endTwoStep) { ($0.code, $0.token) },
    Sample(Operations.twoStepPolicy) { $0.token },
    Sample(Operations.setTwoStepPolicy) { ($0.twoStepPolicy, $0.token) },
  ]
}

extension BackendContract {
  static let twoStep: [Check] = [
    Check("a second step begins with a right code, and a code opens once") { probe, alice, bob in
      try require(try bob.twoStep().value() == .off(), "the second step begins on")
      try bob.confirmTwoStep(.noCode).refused("a code before there is a secret", with: "two_step_not_begun")
      try bob.endTwoStep(.noCode).refused("turning it off", with: "two_step_not_on")
      let void = try bob.beginTwoStep().value()
      let secret = try bob.beginTwoStep().value()
      try require(void.bytes != secret.bytes, "two secrets are equal")
      try require(try bob.twoStep().value().isPending, "a secret that was made is not pending")
      try require(try !alice.account("bob").value().hasSecondStep, "an administrator sees a second step that is not on")
      _ = try await probe.logIn("bob")
      let time = try bob.time()
      try bob.confirmTwoStep(void.code(at: time)).notAccepted("a code of a void secret")
      try bob.confirmTwoStep(secret.code(at: time)).value()
      try require(try bob.twoStep().value().isOn, "a right code turned nothing on")
      let listed = try alice.accounts(AccountsQuery(limit: 2)).value().map(\.hasSecondStep)
      try require(listed == [false, true], "an administrator does not see who has a second step")
      try bob.confirmTwoStep(secret.code(at: time)).refused("a second code", with: "two_step_already_on")
      try bob.beginTwoStep().refused("another secret", with: "two_step_already_on")

      let first = try await probe.challenge(.of("bob"))
      try await probe.expectWrong(secret.code(at: time), to: first, "a code that was used")
      let next = secret.code(at: WallTime(microseconds: time.microseconds + 30_000_000))
      let grant = try await probe.grant(of: next, to: first, "the next code")
      try require(grant.user.username, is: "bob", "the code of bob opened a session of")
      try await probe.expectWrong(next, to: probe.challenge(.of("bob")), "the same code again")
      let names = try bob.events().value().map(\.name)
      for (name, count) in [
        ("authn_two_step_on", 1), ("authn_two_step_ask", 2), ("authn_two_step_fail", 2),
        ("authn_login_successafterfail", 1),
      ] {
        try require(names.count { $0 == name } == count, "\(name) is not there \(count) times: \(names)")
      }
    },

    Check("a recovery code takes the place of a code once, and a new password turns nothing off") { probe, _, bob in
      let codes = try bob.makeRecoveryCodes().value()
      try bob.turnTwoStepOn()
      _ = try await probe.grant(of: codes[0].answer, to: probe.challenge(.of("bob")), "a recovery code")
      try await probe.expectWrong(codes[0].answer, to: probe.challenge(.of("bob")), "a used recovery code")
      try require(try bob.twoStep().value().recoveryCodes == 9, "it is not used up")
      let detail = try bob.events().value().first { $0.name == "authn_login_success" }?.detail
      try require(detail, is: "recovery code, 9 left", "the event says")
      try probe.recover("bob", codes[1]).value()
      let challenge = try await probe.challenge(.of("bob", .new))
      _ = try await probe.grant(of: codes[2].answer, to: challenge, "a recovery code after the recovery")
    },

    Check("wrong codes count as wrong passwords do, and the right password alone resets nothing") { probe, alice, bob in
      let codes = try bob.makeRecoveryCodes().value()
      try bob.turnTwoStepOn()
      let open = try await probe.challenge(.of("bob"))
      for _ in 0..<2 {
        try await probe.expectWrong(.noCode, to: probe.challenge(.of("bob")), "no code")
      }
      try bob.endTwoStep(.noCode).notAccepted("turning it off")
      try await probe.guess("bob", times: 1)
      let last = try await probe.challenge(.of("bob"))
      try alice.requireAttempts(of: "bob", 4, nil, "after four wrong ones and the right password")
      try await probe.expectWrong(.noCode, to: last, "no code")
      for challenge in [open, last] {
        let result = await probe.result(of: codes[0].answer, to: challenge)
        try require(result, is: .failure(.throttled(.wait(.seconds(30)))), "an answer after five wrong ones gave")
      }
      try await probe.requireFailure("a login after five wrong codes", of: "bob", is: .throttled(.wait(.seconds(30))))
      await probe.subject.advance(.seconds(30))
      _ = try await probe.grant(of: codes[0].answer, to: open, "a challenge whose answers were not checked")
      try alice.requireAttempts(of: "bob", 0, nil, "after a right code")
    },

    Check("a new password, a disabled account and a turned-off second step end a challenge") { probe, alice, bob in
      let codes = try bob.makeRecoveryCodes().value()
      try bob.turnTwoStepOn()
      let first = try await probe.challenge(.of("bob"))
      try bob.changePassword(.of("bob"), .new).value()
      try await probe.expectOver(codes[0].answer, to: first, "a challenge from before the new password")
      let second = try await probe.challenge(.of("bob", .new))
      try alice.setDisabled(true, "bob").value()
      try await probe.expectOver(codes[0].answer, to: second, "a challenge of a disabled account")
      try alice.setDisabled(false, "bob").value()
      let third = try await probe.challenge(.of("bob", .new))
      let login = try await probe.logIn("bob", .new, answer: codes[1].answer)
      try login.endTwoStep(codes[2].answer).value()
      try await probe.expectOver(codes[0].answer, to: third, "a challenge from before it was turned off")
      try require(try login.twoStep().value() == .off(codes: 8), "it is not off")
      _ = try await probe.logIn("bob", .new)
    },

    Check("an administrator who must have a second step can do nothing else before") { probe, alice, bob in
      try require(try alice.twoStepPolicy().value() == .optional, "it begins as required")
      try alice.setTwoStepPolicy(.required).value()
      try require(try alice.twoStep().value().isRequired, "the state does not say that it is required")
      let permitted = ["twoStep", "beginTwoStep", "confirmTwoStep", "endAllSessions"]
      for request in try probe.requests(of: alice, other: bob) where !permitted.contains(request.operation.name) {
        let operation = request.operation.name
        try probe.ask(request).refused("\(operation) without the second step", with: "two_step_required")
      }
      try require(try bob.balance() == 100_00, "a refused payment moved money")
      try bob.profile().value("the profile of a member")
      try alice.turnTwoStepOn(at: try bob.time())
      try require(try alice.twoStepPolicy().value() == .required, "a second step does not open the operations")
      try alice.setRole(.administrator, "bob").value()
      try bob.profile().refused("a new administrator without one", with: "two_step_required")
      try alice.setTwoStepPolicy(.optional).value()
      try bob.profile().value("the profile when it is optional")
    },
  ]
}

extension TwoStepState {
  fileprivate static func off(codes: Int = 0) -> TwoStepState {
    TwoStepState(since: nil, isPending: false, recoveryCodes: codes, isRequired: false)
  }
}

extension Secret {
  /// An answer that no second step accepts.
  fileprivate static let noCode = Secret("no code")
}

extension RecoveryCode {
  /// The code as the answer to a challenge.
  fileprivate var answer: Secret { Secret(text) }
}

extension Login {
  /// The wall-clock time of the backend, read from a change that it logs now.
  fileprivate func time() throws -> WallTime {
    try rename("A name").value()
    guard let event = try events(.own, Page(limit: 1)).value().first else { throw Breach("a change is no event") }
    return event.at
  }

  fileprivate func turnTwoStepOn(at time: WallTime? = nil) throws {
    let secret = try beginTwoStep().value()
    let time = if let time { time } else { try self.time() }
    try confirmTwoStep(secret.code(at: time)).value()
  }
}
