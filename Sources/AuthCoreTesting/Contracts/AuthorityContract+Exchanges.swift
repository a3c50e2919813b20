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
      _ = try await subject.rejection(of: old.token, "a token whose successor was used")
    },

    Check(name: "confirming twice is success") { subject in
      let old = try await subject.logIn()
      let new = try await subject.reauthenticate(old.token)
      try await subject.confirm(new.token)
      try await subject.confirm(new.token)
      _ = try await subject.resume(new.token)
    },

    Check(name: "a renewal that exchanges the token also uses two phases") { subject in
      let old = try await subject.logIn()
      let new = try await subject.renew(old.token)
      try await subject.expectTwoPhases("renew", from: old, to: new)
    },

    Check(name: "revoking a session ends both tokens of an exchange under way") { subject in
      let old = try await subject.logIn()
      let new = try await subject.reauthenticate(old.token)
      try await subject.revoke(old.token)
      _ = try await subject.rejection(of: old.token, "a revoked token")
      _ = try await subject.rejection(of: new.token, "the unconfirmed successor of a revoked token")
    },
  ]
}

extension AuthorityContract.Subject {
  /// Requires that the session continues, and that its old token works until the new one is
  /// confirmed.
  func expectTwoPhases(_ name: String, from old: Grant, to new: Grant) async throws {
    try require(new.id, is: old.id, "\(name) made session \(old.id.rawValue) into")
    try require(new.user, is: old.user, "\(name) made a session of \(old.user) into one of")
    _ = try await resume(old.token)
    guard new.token != old.token else { return }
    try await confirm(new.token)
    _ = try await resume(new.token)
    _ = try await rejection(of: old.token, "a token whose successor was confirmed")
  }
}
