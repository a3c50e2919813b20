import AuthCore

extension AuthorityContract {
  static let answers: [Check] = [
    Check("a granted token is of the user who logged in") { probe in
      let grant = try await probe.logIn()
      try require(
        grant.user.username, is: probe.subject.first.username,
        "logging in as \(probe.subject.first.username) granted a session of")
      let resumed = try await probe.resume(grant.token)
      try require(resumed.user, is: grant.user, "the token of \(grant.user) resumes as")
      try require(resumed.id, is: grant.id, "session \(grant.id.rawValue) resumes as")
    },

    // No vault would hold another token, so the next launch would find a superseded one.
    Check("resume returns the token of the request") { probe in
      let grant = try await probe.logIn()
      let resumed = try await probe.resume(grant.token)
      try require(resumed.token == grant.token, "resume answered with another token than it was asked about")
      let fresh = try await probe.reauthenticate(grant.token)
      let again = try await probe.resume(fresh.token)
      try require(again.token == fresh.token, "resume answered with another token than that of a reauthenticate")
    },

    Check("a session ID is never issued twice, not even to another user") { probe in
      var seen: Set<SessionID> = []
      for round in 1...2 {
        for credentials in [probe.subject.first, probe.subject.second] {
          let grant = try await probe.logIn(credentials)
          try require(
            seen.insert(grant.id).inserted,
            "login \(round) of \(credentials.username) gave the name \(grant.id.rawValue), which was given before")
          try await probe.revoke(grant.token)
        }
      }
    },

    Check("a wrong password and an unknown name are rejected alike") { probe in
      let known = probe.subject.first.username
      for name in [known, "nobody-of-this-name"] {
        let wrong = Credentials.password(username: name, password: Secret("not the password of anybody here"))
        let rejection: CredentialsRejection = try await probe.rejection(of: "a wrong password of \(name)") {
          _ = try await probe.authority.authenticate(wrong, limits: .standard)
        }
        try require(rejection, is: .notAccepted, "a wrong password of \(name) was rejected as")
      }
    },

    Check("a token that was never issued is rejected, not unavailable") { probe in
      let forged = SessionToken(bytes: Array(repeating: 7, count: 32))
      _ = try await probe.rejection(of: forged, "a forged token")
      let _: SessionRejection = try await probe.rejection(of: "the renewal of a forged token") {
        _ = try await probe.authority.renew(forged)
      }
      let _: SessionRejection = try await probe.rejection(of: "the confirmation of a forged token") {
        try await probe.authority.confirm(forged)
      }
      let rejection: ReauthenticationRejection = try await probe.rejection(of: "a password for a forged token") {
        _ = try await probe.authority.reauthenticate(forged, with: probe.subject.first, limits: .standard)
      }
      try require(rejection != .notAccepted, "a forged token was reported as a wrong password")
    },

    Check("tokens never repeat") { probe in
      var seen: Set<SessionToken> = []
      for round in 1...3 {
        let grant = try await probe.logIn()
        try require(seen.insert(grant.token).inserted, "login \(round) gave a token that was given before")
        let fresh = try await probe.reauthenticate(grant.token)
        try require(seen.insert(fresh.token).inserted, "reauthenticate \(round) gave a token that was given before")
        try await probe.confirm(fresh.token)
        let renewed = try await probe.renew(fresh.token)
        try require(
          renewed.token == fresh.token || seen.insert(renewed.token).inserted,
          "renew \(round) gave a token that was given before")
      }
    },
  ]
}
