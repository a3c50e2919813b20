import AuthCore

extension AuthorityContract {
  /// The rules for the second step of the first account.
  static let challenges: [Check] = [
    challenge("the right password alone grants no session") { probe, challenge, _ in
      try require(challenge.triesLeft > 0, "a challenge takes \(challenge.triesLeft) answers")
      try require(challenge.deadline != .unknown, "the deadline of a challenge is missing")
      _ = try await probe.rejection(of: challenge.token, "the token of a challenge")
    },

    challenge("a wrong answer uses up a try, and the right one is then accepted") { probe, challenge, code in
      let next = try await probe.expectWrong(wrongCode, to: challenge, "a wrong answer")
      let grant = try await probe.grant(of: code(), to: next, "the right answer after a wrong one")
      try require(
        grant.user.username, is: probe.subject.first.username,
        "the challenge of \(probe.subject.first.username) granted a session of")
      _ = try await probe.resume(grant.token)
    },

    challenge("a challenge is accepted once") { probe, challenge, code in
      _ = try await probe.grant(of: code(), to: challenge, "the right answer")
      try await probe.expectOver(code(), to: challenge, "a challenge that was answered")
    },

    challenge("a challenge without tries has ended, even for the right answer") { probe, challenge, code in
      var left = challenge
      while left.triesLeft > 1 { left = try await probe.expectWrong(wrongCode, to: left, "a wrong answer") }
      try await probe.expectOver(wrongCode, to: left, "the last wrong answer to a challenge")
      try await probe.expectOver(code(), to: left, "a challenge without tries")
    },

    challenge("a challenge ends at its deadline") { probe, challenge, code in
      guard let advance = probe.subject.advance, challenge.deadline != .never else { return }
      // Longer than any user takes.
      await advance(.seconds(86_400))
      try await probe.expectOver(code(), to: challenge, "a challenge past its deadline")
    },

    challenge("a withdrawn challenge has ended, and withdrawing it again is success") { probe, challenge, code in
      try await probe.revoke(challenge.token)
      try await probe.expectOver(code(), to: challenge, "a withdrawn challenge")
      try await probe.revoke(challenge.token)
    },

    challenge("the right answer to a forged challenge is rejected") { probe, challenge, code in
      let forged = Challenge(
        token: SessionToken(bytes: Array(repeating: 8, count: 32)), question: challenge.question,
        triesLeft: challenge.triesLeft, deadline: challenge.deadline)
      try await probe.expectOver(code(), to: forged, "a forged challenge")
    },

    challenge("an answer that cannot be checked uses up no try") { probe, challenge, code in
      guard let setAvailable = probe.subject.setAvailable else { return }
      let answer = await code()
      await setAvailable(false)
      switch await probe.result(of: answer, to: challenge) {
      case .failure(.unavailable): break
      case let other: throw Breach("an authority that cannot answer checked an answer: \(other)")
      }
      await setAvailable(true)
      _ = try await probe.grant(of: answer, to: challenge, "the right answer, once it could be checked")
    },

    Check("a challenge of a reauthentication changes nothing before the right answer") { probe in
      guard let code = probe.subject.code else { return }
      let old = try await probe.logIn()
      let challenge = try await probe.reauthenticationChallenge(old.token)
      let next = try await probe.expectWrong(wrongCode, to: challenge, "a wrong answer")
      try await require(probe.resume(old.token).limits, is: old.limits, "a challenge moved the limits to")
      let new = try await probe.grant(of: code(), to: next, "the right answer")
      try require(new.id, is: old.id, "an answer made session \(old.id.rawValue) into")
      try require(new.token != old.token, "an answer kept the token of the session")
      _ = try await probe.resume(old.token)
      try await probe.confirm(new.token)
      _ = try await probe.rejection(of: old.token, "a token whose successor was confirmed")
    },

    Check("a withdrawn challenge does not end its session, and a revoked session ends its challenge") { probe in
      guard let code = probe.subject.code else { return }
      let grant = try await probe.logIn()
      try await probe.revoke(probe.reauthenticationChallenge(grant.token).token)
      _ = try await probe.resume(grant.token)
      let challenge = try await probe.reauthenticationChallenge(grant.token)
      try await probe.revoke(grant.token)
      try await probe.expectOver(code(), to: challenge, "a challenge of a revoked session")
    },
  ]

  private static let wrongCode = Secret("not the code of anybody here")

  /// Creates a check of the challenge in the answer to a login.
  private static func challenge(
    _ name: String,
    _ body: @escaping @Sendable (Probe, Challenge, @Sendable () async -> Secret) async throws -> Void
  ) -> Check {
    Check(name) { probe in
      guard let code = probe.subject.code else { return }
      try await body(probe, probe.challenge(probe.subject.first), code)
    }
  }
}

extension Probe {
  fileprivate func reauthenticationChallenge(_ token: SessionToken) async throws -> Challenge {
    try challenge(
      in: await authority.reauthenticate(token, with: subject.first, limits: .standard), "the right password again")
  }
}
