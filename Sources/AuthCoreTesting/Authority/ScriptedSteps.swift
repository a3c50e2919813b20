import AuthCore

/// The second steps of a ``ScriptedAuthority``.
enum ScriptedSteps {
  /// The second step of an account.
  struct Step {
    var code: Secret
    var tries: Int
    var time: Duration
  }

  /// An open challenge.
  struct Open {
    let username: String
    /// The token of the session that reauthenticates; nil for a login.
    let session: SessionToken?
    let request: LimitRequest
    let deadline: BootInstant
    var triesLeft: Int
  }
}

extension ScriptedSessions {
  /// Opens a challenge, if the account has a second step.
  mutating func challenge(
    for account: Account, _ request: LimitRequest, of session: SessionToken?, at now: BootInstant
  ) -> Challenge? {
    let username = account.user.username
    guard let step = steps[username] else { return nil }
    let open = ScriptedSteps.Open(
      username: username, session: session, request: request, deadline: now.advanced(by: step.time),
      triesLeft: step.tries)
    let token = newToken()
    challenges[token] = open
    return open.challenge(token)
  }

  mutating func answer(
    _ token: SessionToken, _ answer: Secret, at now: BootInstant
  ) -> Result<Authentication, AuthorityError<ReauthenticationRejection>> {
    guard var open = challenges[token], let step = steps[open.username], let account = accounts[open.username],
      Deadline.at(open.deadline).phase(at: now) == .ahead
    else {
      challenges[token] = nil
      return .failure(.rejected(.notAccepted))
    }
    guard answer == step.code else {
      open.triesLeft -= 1
      challenges[token] = open.triesLeft > 0 ? open : nil
      return open.triesLeft > 0 ? .success(.challenged(open.challenge(token))) : .failure(.rejected(.notAccepted))
    }
    challenges[token] = nil
    guard let old = open.session else { return .success(.granted(begin(for: account, open.request, at: now))) }
    switch use(old, at: now) {
    case .failure(let error): return .failure(error.map(ReauthenticationRejection.session))
    case .success(let (session, account)):
      return .success(.granted(refresh(old, session, account, open.request, at: now)))
    }
  }
}

extension ScriptedSteps.Open {
  fileprivate func challenge(_ token: SessionToken) -> Challenge {
    Challenge(token: token, question: .code(digits: 6), triesLeft: triesLeft, deadline: .at(deadline))
  }
}
