import AuthCore

extension AuthorityContract {
  static let faults: [Check] = [
    Check(name: "an authority that cannot answer reports it, and changes nothing") { subject in
      guard let setAvailable = subject.setAvailable else { return }
      let grant = try await subject.logIn()
      let (authority, first) = (subject.authority, subject.first)
      await setAvailable(false)
      try await subject.expectUnavailable(CredentialsRejection.self, "authenticate") {
        _ = try await authority.authenticate(first, limits: .standard)
      }
      try await subject.expectUnavailable(SessionRejection.self, "resume") {
        _ = try await authority.resume(grant.token)
      }
      try await subject.expectUnavailable(SessionRejection.self, "renew") { _ = try await authority.renew(grant.token) }
      try await subject.expectUnavailable(ReauthenticationRejection.self, "reauthenticate") {
        _ = try await authority.reauthenticate(grant.token, with: first, limits: .standard)
      }
      let failure: Unavailability? = try await subject.failure(of: {
        try await authority.revoke(grant.token, reason: .userAsked)
      })
      try require(failure != nil, "revoke was answered by an authority that cannot answer")
      await setAvailable(true)
      let after = try await subject.resume(grant.token)
      try require(after.limits, is: grant.limits, "questions that were not answered moved the limits to")
    }
  ]
}

extension AuthorityContract.Subject {
  fileprivate func expectUnavailable<Rejection: Hashable & Sendable>(
    _: Rejection.Type, _ name: String, _ operation: () async throws -> Void
  ) async throws {
    let failure: AuthorityError<Rejection>? = try await failure(of: operation)
    switch failure {
    case .unavailable: return
    case .none: throw Breach("\(name) was answered by an authority that cannot answer")
    case .some(let failure): throw Breach("\(name) was answered \(failure) by an authority that cannot answer")
    }
  }
}
