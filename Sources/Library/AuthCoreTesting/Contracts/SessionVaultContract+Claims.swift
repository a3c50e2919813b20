import AuthCore

extension SessionVaultContract {
  static let claims: [Check] = [
    Check(name: "the access token and the session are stored with the token") { subject in
      let details = TokenDetails(
        session: SessionID(rawValue: "s\n1"), user: user, accessToken: AccessToken("a b", deadline: .never))
      try await subject.vault.store(token(1), details)
      let vault = await subject.reopen?() ?? subject.vault
      try await require(vault.load(), is: .token(token(1), details), "after a store with details the vault reads as")
    },

    Check(name: "a claim is that of the saved token, and saves the new one") { subject in
      try await subject.store(token(1))
      let claim = try await subject.claim(token(1))
      _ = try await claim.begin()
      let details = TokenDetails(accessToken: AccessToken("access", deadline: .unknown))
      try await require(claim.settle(.replaced(by: token(2), details)), is: true, "settling the claim answered")
      try await subject.expectReading(.token(token(2), details), "after a claim was settled")
      guard case .changed = try await subject.vault.claim(token(1), wait: .seconds(5)) else {
        throw Breach("the claim of a token that the vault does not hold was granted")
      }
    },

    Check(name: "a settled claim saves nothing if the token was erased or replaced meanwhile") { subject in
      for isErased in [true, false] {
        try await subject.store(token(1))
        let claim = try await subject.claim(token(1))
        _ = try await claim.begin()
        if isErased { try await subject.vault.erase(token(1)) } else { try await subject.store(token(3)) }
        let end = ExchangeEnd.replaced(by: token(2), TokenDetails())
        try await require(claim.settle(end), is: false, "settling the claim of a lost token answered")
        try await subject.expectReading(isErased ? .absent : .token(token(3)), "after a late settlement")
      }
    },

    Check(name: "of several simultaneous claims of a token one succeeds, and the others wait for it") { subject in
      try await subject.store(token(1))
      let holders = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 1...8 {
          group.addTask {
            guard case .mine(let claim) = try await subject.vault.claim(token(1), wait: .seconds(20)) else {
              return false
            }
            return try await claim.settle(.replaced(by: token(2), TokenDetails()))
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      try require(holders, is: 1, "8 claims of one token were settled so often:")
    },

    Check(name: "a claim that was not used leaves the token to the next") { subject in
      try await subject.store(token(1))
      for _ in 1...2 { _ = try await subject.claim(token(1)).settle(.unsent) }
      try require(await !subject.vault.isInterrupted(token(1)), "an exchange that never began is called interrupted")
    },

    Check(name: "the next process learns of a refusal") { subject in
      guard let reopen = subject.reopen, subject.claimsForProcesses else { return }
      try await subject.store(token(1))
      let claim = try await subject.claim(token(1))
      _ = try await claim.begin()
      _ = try await claim.settle(.refused(.accountDisabled))
      guard case .refused(.accountDisabled) = try await reopen().claim(token(1), wait: .seconds(5)) else {
        throw Breach("a token that was refused could be claimed again")
      }
    },

    Check(name: "the next process learns of an exchange without an answer") { subject in
      guard let reopen = subject.reopen, subject.claimsForProcesses else { return }
      try await subject.store(token(1))
      let claim = try await subject.claim(token(1))
      _ = try await claim.begin()
      _ = try await claim.settle(.unknown(Unavailability(.unreachable, "no answer")))
      for _ in 1...2 {
        guard case .mine(let next) = try await reopen().claim(token(1), wait: .seconds(5)) else {
          throw Breach("an exchange without an answer cannot be repeated")
        }
        try require(next.interrupted != nil, "the next claim does not know of an exchange without an answer")
        _ = try await next.settle(.unsent)
      }
    },
  ]
}

extension SessionVaultContract.Subject {
  fileprivate func claim(_ token: SessionToken) async throws -> any ExchangeClaim {
    guard case .mine(let claim) = try await vault.claim(token, wait: .seconds(5)) else {
      throw Breach("a free token could not be claimed")
    }
    return claim
  }
}
