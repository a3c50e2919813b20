import AuthCore

extension AuthorityContract {
  static let faults: [Check] = [
    Check("an authority that cannot answer says so, and it changes nothing") { probe throws(Breach) in
      guard let setAvailable = probe.subject.setAvailable else { return }
      let grant = try await probe.logIn()
      await setAvailable(false)
      try await probe.expectUnavailable("authenticate") { () async throws(AuthorityError<CredentialsRejection>) in
        _ = try await probe.authority.authenticate(probe.subject.first, limits: .standard)
      }
      try await probe.expectUnavailable("resume") { () async throws(AuthorityError<SessionRejection>) in
        _ = try await probe.authority.resume(grant.token)
      }
      try await probe.expectUnavailable("renew") { () async throws(AuthorityError<SessionRejection>) in
        _ = try await probe.authority.renew(grant.token)
      }
      try await probe.expectUnavailable("reauthenticate") {
        () async throws(AuthorityError<ReauthenticationRejection>) in
        _ = try await probe.authority.reauthenticate(
          grant.token, with: probe.subject.first, limits: .standard)
      }
      let failure = await probe.failure(of: { () async throws(Unavailability) in
        try await probe.authority.revoke(grant.token, reason: .userAsked)
      })
      try require(failure != nil, "revoke was answered by an authority that cannot answer")
      await setAvailable(true)
      let after = try await probe.resume(grant.token)
      try require(after.limits == grant.limits, "questions that were not answered moved the limits to \(after.limits)")
    }
  ]
}

extension Probe {
  fileprivate func expectUnavailable<Rejection>(
    _ name: String, _ operation: () async throws(AuthorityError<Rejection>) -> Void
  ) async throws(Breach) {
    switch await failure(of: operation) {
    case .unavailable: return
    case .none: throw Breach("\(name) was answered by an authority that cannot answer")
    case .some(let failure): throw Breach("\(name) was answered \(failure) by an authority that cannot answer")
    }
  }
}
