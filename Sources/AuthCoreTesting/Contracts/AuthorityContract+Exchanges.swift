import AuthCore

extension AuthorityContract {
  static let exchanges: [Check] = [
    Check("after reauthenticate the old token works until the new one is confirmed") { probe in
      let old = try await probe.logIn()
      let new = try await probe.reauthenticate(old.token)
      try require(new.token != old.token, "reauthenticate kept the token")
      try require(new.id, is: old.id, "reauthenticate made session \(old.id.rawValue) into")
      try require(new.user, is: old.user, "reauthenticate made a session of \(old.user) into one of")
      _ = try await probe.resume(old.token)
      try await probe.confirm(new.token)
      _ = try await probe.resume(new.token)
      _ = try await probe.rejection(of: old.token, "a token whose successor was confirmed")
    },

    Check("the first use of a new token confirms it") { probe in
      let old = try await probe.logIn()
      let new = try await probe.reauthenticate(old.token)
      _ = try await probe.resume(new.token)
      _ = try await probe.rejection(of: old.token, "a token whose successor was used")
    },

    Check("confirming twice is success") { probe in
      let old = try await probe.logIn()
      let new = try await probe.reauthenticate(old.token)
      try await probe.confirm(new.token)
      try await probe.confirm(new.token)
      _ = try await probe.resume(new.token)
    },

    Check("a renewal that exchanges the token also uses two phases") { probe in
      let old = try await probe.logIn()
      let new = try await probe.renew(old.token)
      try require(new.id, is: old.id, "renew made session \(old.id.rawValue) into")
      try require(new.user, is: old.user, "renew made a session of \(old.user) into one of")
      _ = try await probe.resume(old.token)
      guard new.token != old.token else { return }
      try await probe.confirm(new.token)
      _ = try await probe.resume(new.token)
      _ = try await probe.rejection(of: old.token, "a token whose successor was confirmed")
    },

    Check("revoking a session ends both tokens of an exchange under way") { probe in
      let old = try await probe.logIn()
      let new = try await probe.reauthenticate(old.token)
      try await probe.revoke(old.token)
      _ = try await probe.rejection(of: old.token, "a revoked token")
      _ = try await probe.rejection(of: new.token, "the unconfirmed successor of a revoked token")
    },
  ]
}
