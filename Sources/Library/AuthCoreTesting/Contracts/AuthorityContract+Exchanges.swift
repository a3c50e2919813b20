import AuthCore

extension AuthorityContract {
  static let exchanges: [Check] = [
    Check(name: "after reauthenticate the old token works until the new one is confirmed") { subject in
      let old = try await subject.logIn()
      let new = try await subject.reauthenticate(old.token)
      try require(new.token != old.token, "reauthenticate kept the token")
      try await subject.expectTwoPhases("reauthenticate", from: old, to: new)
    },

    Check(name: "the first use of a new token confirms it") { subject in
      let old = try await subject.logIn()
      let new = try await subject.reauthenticate(old.token)
      _ = try await subject.resume(new.token)
      try await subject.expectSuperseded(old.token, "a token whose successor was used")
    },

    Check(name: "a renewal that exchanges the token also uses two phases") { subject in
      let old = try await subject.logIn()
      let new = try await subject.renew(old.token)
      try await subject.expectTwoPhases("renew", from: old, to: new)
    },

    Check(name: "revoking either token of an exchange under way ends both") { subject in
      guard subject.authority.exchange == .untilConfirmed else { return }
      for isNew in [false, true] {
        let old = try await subject.logIn()
        let new = try await subject.reauthenticate(old.token)
        try await subject.revoke(isNew ? new.token : old.token)
        _ = try await subject.rejection(of: old.token, "the old token of a revoked session")
        _ = try await subject.rejection(of: new.token, "the unconfirmed token of a revoked session")
      }
    },

    Check(name: "where a renewal spends the old token, the new one continues the session") { subject in
      guard subject.authority.exchange == .spendsOld else { return }
      let old = try await subject.logIn()
      var newest = old
      for _ in 1...2 {
        newest = try await subject.renew(newest.token)
        try require(newest.id, is: old.id, "renew made session \(old.id.rawValue) into")
        try require(newest.user, is: old.user, "renew made a session of \(old.user) into one of")
        try await subject.confirm(newest.token)
        _ = try await subject.resume(newest.token)
      }
    },

    Check(name: "where a renewal spends the old token, no call without a lock ends the session") { subject in
      guard subject.authority.exchange == .spendsOld else { return }
      let old = try await subject.logIn()
      let newest = try await subject.renew(old.token)
      // A server may be unable to say, and the saved token is then accepted.
      if let grant = try? await subject.authority.resume(old.token) {
        try require(grant.token, is: old.token, "resume answered with")
      }
      _ = try? await subject.authority.confirm(old.token)
      _ = try await subject.resume(newest.token)
      _ = try await subject.renew(newest.token)
    },

    Check(name: "where a renewal spends the old token, a refusal of the newest one is the end") { subject in
      guard subject.authority.exchange == .spendsOld else { return }
      let newest = try await subject.renew(try await subject.logIn().token)
      try await subject.revoke(newest.token)
      let rejection: SessionRejection = try await subject.rejection(of: "the renewal of a revoked session") {
        _ = try await subject.authority.renew(newest.token)
      }
      try require(rejection != .superseded, "the renewal of a revoked session was rejected as superseded")
    },

    Check(name: "an exchange without an answer is not recovered") { subject in
      let token = try await subject.logIn().token
      let began = BootInstant(boot: BootID(high: 0, low: 0), uptime: .zero)
      for answer in [nil, [], Array("no answer".utf8)] as [[UInt8]?] {
        let grant = try? subject.authority.recover(token, InterruptedExchange(began: began, answer: answer))
        try require(grant == nil, "an exchange without an answer was recovered")
      }
    },
  ]
}

extension AuthorityContract.Subject {
  /// Requires that the session continues, and that its old token works until the new one is
  /// confirmed, which may be done twice.
  func expectTwoPhases(_ name: String, from old: Grant, to new: Grant) async throws {
    guard authority.exchange == .untilConfirmed else { return }
    try require(new.id, is: old.id, "\(name) made session \(old.id.rawValue) into")
    try require(new.user, is: old.user, "\(name) made a session of \(old.user) into one of")
    _ = try await resume(old.token)
    guard new.token != old.token else { return }
    try await confirm(new.token)
    try await confirm(new.token)
    _ = try await resume(new.token)
    try await expectSuperseded(old.token, "a token whose successor was confirmed")
  }

  fileprivate func expectSuperseded(_ token: SessionToken, _ what: String) async throws {
    guard authority.exchange == .untilConfirmed else { return }
    try require(await rejection(of: token, what), is: .superseded, "the rejection of \(what) is")
  }
}
