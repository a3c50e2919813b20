import AuthCore

extension AuthorityContract {
  /// The rules for the second step of the first account.
  static let challenges: [Check] = [
    challenge("the right password alone opens nothing") { probe, challenge, _ throws(Breach) in
      try require(challenge.triesLeft > 0, "a challenge takes \(challenge.triesLeft) answers")
      try require(challenge.deadline != .unknown, "the deadline of a challenge is missing")
      _ = try await probe.rejection(of: challenge.token, "the token of a challenge")
    },

    challenge("a wrong answer costs a try, and the right one then opens") { probe, challenge, code throws(Breach) in
      let next = try await probe.wrongAnswer(challenge)
      try require(
        next.triesLeft < challenge.triesLeft, "a wrong answer left \(next.triesLeft) of \(challenge.triesLeft) tries")
      let grant = try await probe.answer(next, code)
      try require(
        grant.user.username == probe.subject.first.username,
        "the challenge of \(probe.subject.first.username) granted a session of \(grant.user.username)")
      _ = try await probe.resume(grant.token)
    },

    challenge("a challenge opens once") { probe, challenge, code throws(Breach) in
      _ = try await probe.answer(challenge, code)
      try await probe.expectOver(challenge, code, "a challenge that was answered")
    },

    challenge("a challenge without tries is over, for the right answer too") { probe, challenge, code throws(Breach) in
      var left = challenge
      while left.triesLeft > 1 {
        let next = try await probe.wrongAnswer(left)
        try require(next.triesLeft < left.triesLeft, "a wrong answer left \(next.triesLeft) of \(left.triesLeft) tries")
        left = next
      }
      try await probe.expectOver(left, { Probe.wrongCode }, "the last wrong answer to a challenge")
      try await probe.expectOver(left, code, "a challenge without tries")
    },

    challenge("a challenge is over at its deadline") { probe, challenge, code throws(Breach) in
      guard let advance = probe.subject.advance, challenge.deadline != .never else { return }
      // Longer than any user takes.
      await advance(.seconds(86_400))
      try await probe.expectOver(challenge, code, "a challenge past its deadline")
    },

    challenge("a withdrawn challenge is over, and withdrawing again is success") {
      probe, challenge, code throws(Breach)
      in
      try await probe.revoke(challenge.token)
      try await probe.expectOver(challenge, code, "a withdrawn challenge")
      try await probe.revoke(challenge.token)
    },

    challenge("the right answer to a challenge that nobody asked opens nothing") {
      probe, challenge, code throws(Breach)
      in
      let forged = Challenge(
        token: SessionToken(bytes: Array(repeating: 8, count: 32)), question: challenge.question,
        triesLeft: challenge.triesLeft, deadline: challenge.deadline)
      try await probe.expectOver(forged, code, "a forged challenge")
    },

    challenge("an answer that cannot be checked costs nothing") { probe, challenge, code throws(Breach) in
      guard let setAvailable = probe.subject.setAvailable else { return }
      let answer = await code()
      await setAvailable(false)
      switch await probe.result(of: answer, to: challenge) {
      case .failure(.unavailable): break
      case let other: throw Breach("an authority that cannot answer checked an answer: \(String(describing: other))")
      }
      await setAvailable(true)
      _ = try await probe.answer(challenge) { answer }
    },

    Check("a challenge of a reauthentication changes nothing before the right answer") { probe throws(Breach) in
      guard let code = probe.subject.code else { return }
      let old = try await probe.logIn()
      let challenge = try await probe.reauthenticationChallenge(old.token)
      let next = try await probe.wrongAnswer(challenge)
      let after = try await probe.resume(old.token)
      try require(after.limits == old.limits, "a challenge moved the limits to \(after.limits)")
      let new = try await probe.answer(next, code)
      try require(new.id == old.id, "an answer made session \(old.id.rawValue) into \(new.id.rawValue)")
      try require(new.token != old.token, "an answer kept the token of the session")
      _ = try await probe.resume(old.token)
      try await probe.confirm(new.token)
      _ = try await probe.rejection(of: old.token, "a token whose successor was confirmed")
    },

    Check("a withdrawn challenge leaves its session, and a revoked session ends its challenge") {
      probe throws(Breach)
      in
      guard let code = probe.subject.code else { return }
      let grant = try await probe.logIn()
      try await probe.revoke(try await probe.reauthenticationChallenge(grant.token).token)
      _ = try await probe.resume(grant.token)
      let challenge = try await probe.reauthenticationChallenge(grant.token)
      try await probe.revoke(grant.token)
      try await probe.expectOver(challenge, code, "a challenge of a revoked session")
    },
  ]

  /// Creates a check of the challenge in the answer to a login.
  private static func challenge(
    _ name: String,
    _ body: @escaping @Sendable (Probe, Challenge, @Sendable () async -> Secret) async throws(Breach) -> Void
  ) -> Check {
    Check(name) { probe throws(Breach) in
      guard let code = probe.subject.code else { return }
      let result = try? await probe.authority.authenticate(probe.subject.first, limits: .standard)
      guard case .challenged(let challenge) = result else {
        throw Breach("the right password without the second step was answered \(String(describing: result))")
      }
      try await body(probe, challenge, code)
    }
  }
}

extension Probe {
  fileprivate static let wrongCode = Secret("not the code of anybody here")

  fileprivate func result(
    of answer: Secret, to challenge: Challenge
  ) async -> Result<Authentication, AuthorityError<ReauthenticationRejection>> {
    do throws(AuthorityError<ReauthenticationRejection>) {
      return .success(try await authority.answer(challenge, with: answer))
    } catch {
      return .failure(error)
    }
  }

  /// Gives a wrong answer, and returns the updated challenge.
  fileprivate func wrongAnswer(_ challenge: Challenge) async throws(Breach) -> Challenge {
    switch await result(of: Self.wrongCode, to: challenge) {
    case .success(.challenged(let next)): return next
    case let other: throw Breach("a wrong answer with tries left was answered \(other)")
    }
  }

  /// Requires that the answer is rejected and the challenge has ended.
  fileprivate func expectOver(
    _ challenge: Challenge, _ code: () async -> Secret, _ what: String
  ) async throws(Breach) {
    switch await result(of: await code(), to: challenge) {
    case .failure(.rejected): return
    case let other: throw Breach("\(what) was answered \(other)")
    }
  }

  fileprivate func reauthenticationChallenge(_ token: SessionToken) async throws(Breach) -> Challenge {
    let result = try? await authority.reauthenticate(token, with: subject.first, limits: .standard)
    guard case .challenged(let challenge) = result else {
      throw Breach("a password without the second step was answered \(String(describing: result))")
    }
    return challenge
  }
}
