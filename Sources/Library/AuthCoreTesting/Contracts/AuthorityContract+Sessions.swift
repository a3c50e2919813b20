import AuthCore

extension AuthorityContract {
  static let sessions: [Check] = [
    Check(name: "revoke ends the session, and is success for an ended or unknown token") { subject in
      let grant = try await subject.logIn()
      try await subject.revoke(grant.token)
      _ = try await subject.rejection(of: grant.token, "a revoked token")
      try await subject.revoke(grant.token)
      try await subject.revoke(SessionToken(bytes: Array(repeating: 9, count: 32)))
    },

    Check(name: "revoke ends one session and no other") { subject in
      let doomed = try await subject.logIn()
      let elsewhere = try await subject.logIn()
      let other = try await subject.logIn(subject.second)
      try await subject.revoke(doomed.token)
      _ = try await subject.resume(elsewhere.token)
      _ = try await subject.resume(other.token)
    },

    Check(name: "renew never revives an ended session") { subject in
      let grant = try await subject.logIn()
      try await subject.revoke(grant.token)
      let _: SessionRejection = try await subject.rejection(of: "the renewal of a revoked session") {
        _ = try await subject.authority.renew(grant.token)
      }
      _ = try await subject.rejection(of: grant.token, "a revoked token after an attempt to renew it")
    },

    Check(name: "a wrong password does not change the session") { subject in
      let grant = try await subject.logIn()
      await subject.advance?(.seconds(120))
      let rejection: ReauthenticationRejection = try await subject.rejection(of: "a wrong password for a live session")
      {
        _ = try await subject.authority.reauthenticate(grant.token, with: subject.wrong, limits: .standard)
      }
      try require(rejection, is: .notAccepted, "a wrong password for a live session was rejected as")
      try await require(subject.resume(grant.token).limits, is: grant.limits, "a refused password moved the limits to")
    },

    Check(name: "the password of another account does not make a session fresh") { subject in
      let grant = try await subject.logIn()
      let rejection: ReauthenticationRejection = try await subject.rejection(of: "another account's password") {
        _ = try await subject.authority.reauthenticate(grant.token, with: subject.second, limits: .standard)
      }
      if case .loginRefused = rejection { return }
      try require(rejection, is: .notAccepted, "another account's password was rejected as")
    },

    Check(name: "simultaneous logins get different tokens, and each revocation ends one session") { subject in
      let tokens = try await withThrowingTaskGroup(of: SessionToken.self) { group in
        for number in 0..<8 {
          group.addTask {
            let grant = try await subject.logIn()
            _ = try await subject.resume(grant.token)
            if number.isMultiple(of: 2) { try await subject.revoke(grant.token) }
            return grant.token
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      var live = 0
      try require(tokens.count == 8, "8 logins at once were given \(tokens.count) tokens")
      for token in tokens {
        do throws(AuthorityError<SessionRejection>) {
          _ = try await subject.authority.resume(token)
          live += 1
        } catch {
          guard case .rejected = error else { throw Breach("the last look at a session was not answered") }
        }
      }
      try require(live == 4, "4 of 8 sessions were revoked, and \(live) are live")
    },
  ]
}
