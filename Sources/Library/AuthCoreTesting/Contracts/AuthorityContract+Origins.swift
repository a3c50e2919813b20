import AuthCore

extension AuthorityContract {
  static let origins: [Check] = [
    Check(name: "a token of another server or client is said to be one, and is neither used nor ended") { subject in
      guard let stranger = subject.stranger else { return }
      let grant = try await subject.logIn()
      let token = grant.token
      if let cause = subject.authority.notHere(token) { throw Breach("an own token was called another's: \(cause)") }
      guard let cause = stranger.notHere(token) else { throw Breach("a token of another authority was not told apart") }
      let calls: [(String, () async throws -> Void)] = [
        ("resume", { _ = try await stranger.resume(token) }), ("renew", { _ = try await stranger.renew(token) }),
        ("confirm", { try await stranger.confirm(token) }),
        ("reauthenticate", { _ = try await stranger.reauthenticate(token, with: subject.first, limits: .standard) }),
        ("revoke", { try await stranger.revoke(token, reason: .userAsked) }),
      ]
      for (name, call) in calls {
        var failure: (any Error)?
        do { try await call() } catch { failure = error }
        guard let failure else { throw Breach("\(name) of another authority's token was accepted") }
        let isRight =
          failure as? AuthorityError<SessionRejection> == .unavailable(cause)
          || failure as? AuthorityError<ReauthenticationRejection> == .unavailable(cause)
          || failure as? Unavailability == cause
        try require(isRight, "\(name) of another authority's token was answered \(failure)")
      }
      try require(try await subject.resume(token).id, is: grant.id, "after that, the session is")
    }
  ]
}
