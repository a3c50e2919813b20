import AuthCore

extension AuthorityContract {
  /// The rules for the second step of the first account.
  static let challenges: [Check] = [
    challenge("the right password alone grants no session") { subject, challenge, _ in
      try require(challenge.triesLeft > 0, "a challenge takes \(challenge.triesLeft) answers")
      try require(challenge.deadline != .unknown, "the deadline of a challenge is missing")
      _ = try await subject.rejection(of: challenge.token, "the token of a challenge")
    },

    challenge("a wrong answer uses up a try, and the right one is then accepted") { subject, challenge, code in
      let next = try await subject.expectWrong(wrongCode, to: challenge, "a wrong answer")
      let grant = try await subject.grant(of: code(), to: next, "the right answer after a wrong one")
      try require(
        grant.user.username, is: subject.first.username,
        "the challenge of \(subject.first.username) granted a session of")
      _ = try await subject.resume(grant.token)
    },

    challenge("a challenge is accepted once") { subject, challenge, code in
      _ = try await subject.grant(of: code(), to: challenge, "the right answer")
      try await subject.expectOver(code(), to: challenge, "a challenge that was answered")
    },

    challenge("a challenge without tries has ended, even for the right answer") { subject, challenge, code in
      var left = challenge
      while left.triesLeft > 1 { left = try await subject.expectWrong(wrongCode, to: left, "a wrong answer") }
      try await subject.expectOver(wrongCode, to: left, "the last wrong answer to a challenge")
      try await subject.expectOver(code(), to: left, "a challenge without tries")
    },

    challenge("a challenge ends at its deadline") { subject, challenge, code in
      guard let advance = subject.advance, challenge.deadline != .never else { return }
      // Longer than any user takes.
      await advance(.seconds(86_400))
      try await subject.expectOver(code(), to: challenge, "a challenge past its deadline")
    },

    challenge("a withdrawn challenge has ended, and withdrawing it again is success") { subject, challenge, code in
      try await subject.revoke(challenge.token)
      try await subject.expectOver(code(), to: challenge, "a withdrawn challenge")
      try await subject.revoke(challenge.token)
    },

    challenge("the right answer to a forged challenge is rejected") { subject, challenge, code in
      let forged = Challenge(
        token: SessionToken(bytes: Array(repeating: 8, count: 32)), question: challenge.question,
        triesLeft: challenge.triesLeft, deadline: challenge.deadline)
      try await subject.expectOver(code(), to: forged, "a forged challenge")
    },

    challenge("an answer that cannot be checked uses up no try") { subject, challenge, code in
      guard let setAvailable = subject.setAvailable else { return }
      let answer = await code()
      await setAvailable(false)
      switch await subject.result(of: answer, to: challenge) {
      case .failure(.unavailable): break
      case let other: throw Breach("an authority that cannot answer checked an answer: \(other)")
      }
      await setAvailable(true)
      _ = try await subject.grant(of: answer, to: challenge, "the right answer, once it could be checked")
    },

    Check(name: "a challenge of a reauthentication changes nothing before the right answer") { subject in
      guard let code = subject.code else { return }
      let old = try await subject.logIn()
      await subject.advance?(.seconds(120))
      let challenge = try await subject.reauthenticationChallenge(old.token)
      let next = try await subject.expectWrong(wrongCode, to: challenge, "a wrong answer")
      try await require(subject.resume(old.token).limits, is: old.limits, "a challenge moved the limits to")
      let new = try await subject.grant(of: code(), to: next, "the right answer")
      try require(new.token != old.token, "an answer kept the token of the session")
      try await subject.expectTwoPhases("an answer", from: old, to: new)
    },

    Check(name: "a challenge of a reauthentication stays open when its session is renewed") { subject in
      guard let code = subject.code else { return }
      let old = try await subject.logIn()
      let challenge = try await subject.reauthenticationChallenge(old.token)
      let renewed = try await subject.renew(old.token)
      if renewed.token != old.token { try await subject.confirm(renewed.token) }
      let new = try await subject.grant(of: code(), to: challenge, "the right answer after a renewal")
      try require(new.id == old.id, "an answer after a renewal began another session")
    },

    Check(name: "a withdrawn challenge does not end its session, and a revoked session ends its challenge") { subject in
      guard let code = subject.code else { return }
      let grant = try await subject.logIn()
      try await subject.revoke(subject.reauthenticationChallenge(grant.token).token)
      _ = try await subject.resume(grant.token)
      let challenge = try await subject.reauthenticationChallenge(grant.token)
      try await subject.revoke(grant.token)
      try await subject.expectOver(code(), to: challenge, "a challenge of a revoked session")
    },
  ]

  private static let wrongCode = Secret("not the code of anybody here")

  /// Creates a check of the challenge in the answer to a login.
  private static func challenge(
    _ name: String,
    _ body: @escaping @Sendable (Subject, Challenge, @Sendable () async -> Secret) async throws -> Void
  ) -> Check {
    Check(name: name) { subject in
      guard let code = subject.code else { return }
      try await body(subject, subject.challenge(subject.first), code)
    }
  }
}

extension AuthorityContract.Subject {
  fileprivate func reauthenticationChallenge(_ token: SessionToken) async throws -> Challenge {
    try challenge(
      in: await authority.reauthenticate(token, with: first, limits: .standard), "the right password again")
  }
}
