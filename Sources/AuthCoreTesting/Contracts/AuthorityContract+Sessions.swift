import AuthCore

extension AuthorityContract {
  static let sessions: [Check] = [
    Check("revoke ends the session, and revoking again or revoking the unknown is success") { probe throws(Breach) in
      let grant = try await probe.logIn()
      try await probe.revoke(grant.token)
      _ = try await probe.rejection(of: grant.token, "a revoked token")
      try await probe.revoke(grant.token)
      try await probe.revoke(SessionToken(bytes: Array(repeating: 9, count: 32)))
    },

    Check("revoke ends one session and no other") { probe throws(Breach) in
      let doomed = try await probe.logIn()
      let elsewhere = try await probe.logIn()
      let other = try await probe.logIn(probe.subject.second)
      try await probe.revoke(doomed.token)
      _ = try await probe.resume(elsewhere.token)
      _ = try await probe.resume(other.token)
    },

    Check("renew never brings an ended session back") { probe throws(Breach) in
      let grant = try await probe.logIn()
      try await probe.revoke(grant.token)
      _ = try await probe.rejection(of: "the renewal of a revoked session") {
        () async throws(AuthorityError<SessionRejection>) in _ = try await probe.authority.renew(grant.token)
      }
      _ = try await probe.rejection(of: grant.token, "a revoked token after an attempt to renew it")
    },

    Check("a wrong password leaves the session as it was") { probe throws(Breach) in
      let grant = try await probe.logIn()
      let rejection = try await probe.rejection(of: "a wrong password for a live session") {
        () async throws(AuthorityError<ReauthenticationRejection>) in
        _ = try await probe.authority.reauthenticate(
          grant.token, with: probe.wrong, limits: .standard)
      }
      try require(rejection == .notAccepted, "a wrong password for a live session was rejected as \(rejection)")
      let after = try await probe.resume(grant.token)
      try require(after.limits == grant.limits, "a refused password moved the limits to \(after.limits)")
    },

    Check("the password of another account does not make a session fresh") { probe throws(Breach) in
      let grant = try await probe.logIn()
      let rejection = try await probe.rejection(of: "another account's password") {
        () async throws(AuthorityError<ReauthenticationRejection>) in
        _ = try await probe.authority.reauthenticate(
          grant.token, with: probe.subject.second, limits: .standard)
      }
      try require(rejection == .notAccepted, "another account's password was rejected as \(rejection)")
    },

    Check("many at once: every login its own token, every revocation its own session") { probe throws(Breach) in
      let outcome = await withTaskGroup(of: Result<Grant, Breach>.self) { group in
        for number in 0..<8 {
          group.addTask {
            do throws(Breach) {
              let grant = try await probe.logIn()
              _ = try await probe.resume(grant.token)
              if number.isMultiple(of: 2) { try await probe.revoke(grant.token) }
              return .success(grant)
            } catch {
              return .failure(error)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      var tokens: Set<SessionToken> = []
      var live = 0
      for result in outcome { tokens.insert(try result.get().token) }
      try require(tokens.count == 8, "8 logins at once were given \(tokens.count) tokens")
      for token in tokens {
        let failure = await probe.failure(of: { () async throws(AuthorityError<SessionRejection>) in
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
