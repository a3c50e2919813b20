import AuthCore

extension SessionVaultContract {
  static let locks: [Check] = [
    Check(name: "the access token and the session are stored with the token") { subject in
      let details = TokenDetails(
        session: SessionID(rawValue: "s\n1"), user: user, accessToken: AccessToken("a b", deadline: .never))
      try await subject.vault.store(token(1), details)
      let vault = await subject.reopen?() ?? subject.vault
      try await require(vault.load(), is: .token(token(1), details), "after a store with details the vault reads as")
    },

    Check(name: "a lock is that of the saved token, and saves the new one") { subject in
      try await subject.store(token(1))
      let lock = try await subject.lock(token(1))
      _ = try await lock.begin()
      let details = TokenDetails(accessToken: AccessToken("access", deadline: .unknown))
      try await require(lock.release(.replaced(by: token(2), details)), is: true, "releasing the lock answered")
      try await subject.expectReading(.token(token(2), details), "after a lock was released")
      guard case .changed = try await subject.vault.lockExchange(of: token(1), wait: .seconds(5)) else {
        throw Breach("the lock of a token that the vault does not hold was granted")
      }
    },

    Check(name: "a released lock saves nothing if the token was erased or replaced meanwhile") { subject in
      for isErased in [true, false] {
        try await subject.store(token(1))
        let lock = try await subject.lock(token(1))
        _ = try await lock.begin()
        if isErased { try await subject.vault.erase(token(1)) } else { try await subject.store(token(3)) }
        let end = ExchangeEnd.replaced(by: token(2), TokenDetails())
        try await require(lock.release(end), is: false, "releasing the lock of a lost token answered")
        try await subject.expectReading(isErased ? .absent : .token(token(3)), "after a late release")
      }
    },

    Check(name: "of several simultaneous locks of a token one succeeds, and the others wait for it") { subject in
      try await subject.store(token(1))
      let holders = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 1...8 {
          group.addTask {
            guard case .acquired(let lock) = try await subject.vault.lockExchange(of: token(1), wait: .seconds(20))
            else {
              return false
            }
            return try await lock.release(.replaced(by: token(2), TokenDetails()))
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      try require(holders, is: 1, "8 locks of one token were released so often:")
    },

    Check(name: "a lock that was not used leaves the token to the next") { subject in
      try await subject.store(token(1))
      for _ in 1...2 { _ = try await subject.lock(token(1)).release(.unsent) }
      try require(await !subject.vault.isInterrupted(token(1)), "an exchange that never began is called interrupted")
    },

    Check(name: "the next process learns of a refusal") { subject in
      guard let reopen = subject.reopen, subject.locksAcrossProcesses else { return }
      try await subject.store(token(1))
      let lock = try await subject.lock(token(1))
      _ = try await lock.begin()
      _ = try await lock.release(.refused(.accountDisabled))
      guard case .refused(.accountDisabled) = try await reopen().lockExchange(of: token(1), wait: .seconds(5)) else {
        throw Breach("a token that was refused could be locked again")
      }
    },

    Check(name: "the next process learns of an exchange without an answer") { subject in
      guard let reopen = subject.reopen, subject.locksAcrossProcesses else { return }
      try await subject.store(token(1))
      let lock = try await subject.lock(token(1))
      _ = try await lock.begin()
      _ = try await lock.release(.unknown(Unavailability(.unreachable, "no answer")))
      for _ in 1...2 {
        guard case .acquired(let next) = try await reopen().lockExchange(of: token(1), wait: .seconds(5)) else {
          throw Breach("an exchange without an answer cannot be repeated")
        }
        try require(next.interrupted != nil, "the next lock does not know of an exchange without an answer")
        _ = try await next.release(.unsent)
      }
    },
  ]
}

extension SessionVaultContract.Subject {
  fileprivate func lock(_ token: SessionToken) async throws -> any ExchangeLock {
    guard case .acquired(let lock) = try await vault.lockExchange(of: token, wait: .seconds(5)) else {
      throw Breach("a free token could not be locked")
    }
    return lock
  }
}
