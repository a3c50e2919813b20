import AuthCore

extension ScriptedSessions {
  /// The second step of an account.
  struct Step {
    var code: Secret
    var tries: Int
    var time: Duration
  }

  struct OpenChallenge {
    let username: String
    /// The token of the session that reauthenticates; nil for a login.
    var session: SessionToken?
    let request: LimitRequest
    let deadline: BootInstant
    var triesLeft: Int

    fileprivate func challenge(_ token: SessionToken) -> Challenge {
      Challenge(token: token, question: .code(digits: 6), triesLeft: triesLeft, deadline: .at(deadline))
    }
  }

  /// Accepts a password: opens a challenge if the account has a second step, or grants a session.
  mutating func accept(
    _ account: Account, _ request: LimitRequest, of session: SessionToken?, at now: BootInstant
  ) -> Authentication {
    let username = account.user.username
    guard let step = steps[username] else { return .granted(grant(account, request, of: session, at: now)) }
    let open = OpenChallenge(
      username: username, session: session, request: request, deadline: now.advanced(by: step.time),
      triesLeft: step.tries)
    let token = newToken()
    challenges[token] = open
    return .challenged(open.challenge(token))
  }

  mutating func answer(
    _ token: SessionToken, _ answer: Secret, at now: BootInstant
  ) -> Answer<Authentication, ReauthenticationRejection> {
    guard var open = challenges.removeValue(forKey: token), let step = steps[open.username],
      let account = accounts[open.username], Deadline.at(open.deadline).phase(at: now) == .ahead
    else { return .failure(.rejected(.notAccepted)) }
    guard answer == step.code else {
      open.triesLeft -= 1
      guard open.triesLeft > 0 else { return .failure(.rejected(.notAccepted)) }
      challenges[token] = open
      return .success(.challenged(open.challenge(token)))
    }
    if let old = open.session, case .failure(let error) = use(old, at: now) {
      return .failure(error.map(ReauthenticationRejection.session))
    }
    return .success(.granted(grant(account, open.request, of: open.session, at: now)))
  }
}
