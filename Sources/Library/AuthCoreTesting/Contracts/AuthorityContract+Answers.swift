import AuthCore

extension AuthorityContract {
  static let answers: [Check] = [
    Check(name: "a granted token is of the user who logged in") { subject in
      let grant = try await subject.logIn()
      try require(
        grant.user.username, is: subject.first.username,
        "logging in as \(subject.first.username) granted a session of")
      let resumed = try await subject.resume(grant.token)
      try require(resumed.user, is: grant.user, "the token of \(grant.user) resumes as")
      try require(resumed.id, is: grant.id, "session \(grant.id.rawValue) resumes as")
    },

    // No vault would hold another token, so the next launch would find a superseded one.
    Check(name: "resume returns the token of the request") { subject in
      let grant = try await subject.logIn()
      let resumed = try await subject.resume(grant.token)
      try require(resumed.token == grant.token, "resume answered with another token than it was asked about")
      let fresh = try await subject.reauthenticate(grant.token)
      let again = try await subject.resume(fresh.token)
      try require(again.token == fresh.token, "resume answered with another token than that of a reauthenticate")
    },

    Check(name: "a session ID is never issued twice, not even to another user") { subject in
      var seen: Set<SessionID> = []
      for round in 1...2 {
        for credentials in [subject.first, subject.second] {
          let grant = try await subject.logIn(credentials)
          try require(
            seen.insert(grant.id).inserted,
            "login \(round) of \(credentials.username) gave the name \(grant.id.rawValue), which was given before")
          try await subject.revoke(grant.token)
        }
      }
    },

    Check(name: "a wrong password and an unknown name are rejected alike") { subject in
      let known = subject.first.username
      for name in [known, "nobody-of-this-name"] {
        let wrong = Credentials.password(username: name, password: Secret("not the password of anybody here"))
        let rejection: CredentialsRejection = try await subject.rejection(of: "a wrong password of \(name)") {
          _ = try await subject.authority.authenticate(wrong, limits: .standard)
        }
        try require(rejection, is: .notAccepted, "a wrong password of \(name) was rejected as")
      }
    },

    Check(name: "a token that was never issued is rejected, not unavailable") { subject in
      let forged = SessionToken(bytes: Array(repeating: 7, count: 32))
      _ = try await subject.rejection(of: forged, "a forged token")
      let _: SessionRejection = try await subject.rejection(of: "the renewal of a forged token") {
        _ = try await subject.authority.renew(forged)
      }
      let _: SessionRejection = try await subject.rejection(of: "the confirmation of a forged token") {
        try await subject.authority.confirm(forged)
      }
      let rejection: ReauthenticationRejection = try await subject.rejection(of: "a password for a forged token") {
        _ = try await subject.authority.reauthenticate(forged, with: subject.first, limits: .standard)
      }
      try require(rejection != .notAccepted, "a forged token was reported as a wrong password")
    },

    Check(name: "tokens never repeat") { subject in
      var seen: Set<SessionToken> = []
      for round in 1...3 {
        let grant = try await subject.logIn()
        try require(seen.insert(grant.token).inserted, "login \(round) gave a token that was given before")
        let fresh = try await subject.reauthenticate(grant.token)
        try require(seen.insert(fresh.token).inserted, "reauthenticate \(round) gave a token that was given before")
        try await subject.confirm(fresh.token)
        let renewed = try await subject.renew(fresh.token)
        try require(
          renewed.token == fresh.token || seen.insert(renewed.token).inserted,
          "renew \(round) gave a token that was given before")
      }
    },
  ]
}
