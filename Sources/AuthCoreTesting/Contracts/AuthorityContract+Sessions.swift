import AuthCore

extension AuthorityContract {
  static let sessions: [Check] = [
    Check("revoke ends the session, and is success for an ended or unknown token") { probe in
      let grant = try await probe.logIn()
      try await probe.revoke(grant.token)
      _ = try await probe.rejection(of: grant.token, "a revoked token")
      try await probe.revoke(grant.token)
      try await probe.revoke(SessionToken(bytes: Array(repeating: 9, count: 32)))
    },

    Check("revoke ends one session and no other") { probe in
      let doomed = try await probe.logIn()
      let elsewhere = try await probe.logIn()
      let other = try await probe.logIn(probe.subject.second)
      try await probe.revoke(doomed.token)
      _ = try await probe.resume(elsewhere.token)
      _ = try await probe.resume(other.token)
    },

    Check("renew never revives an ended session") { probe in
      let grant = try await probe.logIn()
      try await probe.revoke(grant.token)
      let _: SessionRejection = try await probe.rejection(of: "the renewal of a revoked session") {
        _ = try await probe.authority.renew(grant.token)
      }
      _ = try await probe.rejection(of: grant.token, "a revoked token after an attempt to renew it")
    },

    Check("a wrong password does not change the session") { probe in
      let grant = try await probe.logIn()
      let rejection: ReauthenticationRejection = try await probe.rejection(of: "a wrong password for a live session") {
        _ = try await probe.authority.reauthenticate(grant.token, with: probe.wrong, limits: .standard)
      }
      try require(rejection, is: .notAccepted, "a wrong password for a live session was rejected as")
      try await require(probe.resume(grant.token).limits, is: grant.limits, "a refused password moved the limits to")
    },

    Check("the password of another account does not make a session fresh") { probe in
      let grant = try await probe.logIn()
      let rejection: ReauthenticationRejection = try await probe.rejection(of: "another account's password") {
        _ = try await probe.authority.reauthenticate(grant.token, with: probe.subject.second, limits: .standard)
      }
      try require(rejection, is: .notAccepted, "another account's password was rejected as")
    },

    Check("simultaneous logins get different tokens, and each revocation ends one session") { probe in
      let tokens = try await withThrowingTaskGroup(of: SessionToken.self) { group in
        for number in 0..<8 {
          group.addTask {
            let grant = try await probe.logIn()
            _ = try await probe.resume(grant.token)
            if number.isMultiple(of: 2) { try await probe.revoke(grant.token) }
            return grant.token
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      var live = 0
      try require(tokens.count == 8, "8 logins at once were given \(tokens.count) tokens")
      for token in tokens {
        let failure: AuthorityError<SessionRejection>? = try await probe.failure(of: {
          _ = try await probe.authority.resume(token)
        })
        switch failure {
        case .none: live += 1
        case .rejected: break
        case .throttled, .unavailable: throw Breach("the last look at a session was not answered")
        }
      }
      try require(live == 4, "4 of 8 sessions were revoked, and \(live) are live")
    },
  ]
}
