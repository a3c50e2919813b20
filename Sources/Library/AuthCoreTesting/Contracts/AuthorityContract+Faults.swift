import AuthCore

extension AuthorityContract {
  static let faults: [Check] = [
    Check(name: "an authority that cannot answer reports it, and changes nothing") { subject in
      guard let setAvailable = subject.setAvailable else { return }
      let grant = try await subject.logIn()
      let (authority, first) = (subject.authority, subject.first)
      let calls: [(String, () async throws -> Void)] = [
        ("authenticate", { _ = try await authority.authenticate(first, limits: .standard) }),
        ("resume", { _ = try await authority.resume(grant.token) }),
        ("renew", { _ = try await authority.renew(grant.token) }),
        ("reauthenticate", { _ = try await authority.reauthenticate(grant.token, with: first, limits: .standard) }),
        ("revoke", { try await authority.revoke(grant.token, reason: .userAsked) }),
      ]
      await subject.advance?(.seconds(120))
      await setAvailable(false)
      for (name, call) in calls {
        do { try await call() } catch AuthorityError<CredentialsRejection>.unavailable,
          AuthorityError<SessionRejection>.unavailable, AuthorityError<ReauthenticationRejection>.unavailable,
          is Unavailability
        {
          continue
        } catch {
          throw Breach("\(name) was answered \(error) by an authority that cannot answer")
        }
        throw Breach("\(name) was answered by an authority that cannot answer")
      }
      await setAvailable(true)
      let after = try await subject.resume(grant.token)
      try require(after.limits, is: grant.limits, "questions that were not answered moved the limits to")
    }
  ]
}
