import AuthCore

extension SessionVaultContract {
  static let keeping: [Check] = [
    Check(name: "an empty vault is absent, and erasing from it is success") { subject in
      try await subject.expectReading(.absent, "at first")
      try await subject.vault.erase(token(1))
      try await require(subject.vault.setAside(), is: nil, "something was set aside from an empty vault")
      try await subject.expectReading(.absent, "after forgetting nothing")
    },

    Check(name: "a stored token does not change until it is replaced") { subject in
      try await subject.store(token(1))
      try await subject.expectReading(.token(token(1)), "after a store")
      try await subject.expectReading(.token(token(1)), "at a second look")
      try await subject.store(token(2))
      try await subject.expectReading(.token(token(2)), "after another store")
    },

    Check(name: "the next process finds a stored token, and none after an erasure") { subject in
      guard let reopen = subject.reopen else { return }
      try await subject.store(token(1))
      try await require(reopen().load(), is: .token(token(1)), "after a store the next process reads")
      try await subject.vault.erase(token(1))
      try await require(reopen().load(), is: .absent, "after an erasure the next process reads")
    },

    Check(name: "the user is stored with the token, so that the next process can show it") { subject in
      try await subject.store(token(1), of: user)
      let vault = await subject.reopen?() ?? subject.vault
      try await require(
        vault.load(), is: .token(token(1), TokenDetails(user: user)), "after a store for a user the vault reads as")
      let other = LastKnownUser(username: "bob", displayName: "Bob")
      _ = try await subject.replace(token(1), with: token(2), of: other)
      try await subject.expectReading(.token(token(2), TokenDetails(user: other)), "after replace with another name")
      try await subject.store(token(3))
      try await subject.expectReading(.token(token(3)), "after a store for nobody")
    },

    Check(name: "replace exchanges the stored token") { subject in
      try await subject.store(token(1))
      try await require(subject.replace(token(1), with: token(2)), is: true, "replacing the kept token answered")
      try await subject.expectReading(.token(token(2)), "after replace")
    },

    Check(name: "replace changes nothing if the vault is empty or holds another token") { subject in
      try await require(subject.replace(token(1), with: token(2)), is: false, "replacing in an empty vault answered")
      try await subject.expectReading(.absent, "after a late replace")
      try await subject.store(token(3))
      try await require(subject.replace(token(1), with: token(2)), is: false, "replacing another token answered")
      try await subject.expectReading(.token(token(3)), "after a late replace")
    },

    Check(name: "erase erases only the given token") { subject in
      try await subject.store(token(1))
      try await subject.vault.erase(token(2))
      try await subject.expectReading(.token(token(1)), "after another token was erased")
      try await subject.vault.erase(token(1))
      try await subject.expectReading(.absent, "after an erasure")
      try await subject.vault.erase(token(1))
    },

    Check(name: "setAside does not move usable content") { subject in
      try await subject.store(token(1))
      try await require(subject.vault.setAside(), is: nil, "a sound token was set aside")
      try await subject.expectReading(.token(token(1)), "after setAside")
    },

    Check(name: "simultaneous stores leave one token, and each returns the content that it replaced") { subject in
      let displaced = try await withThrowingTaskGroup(of: VaultReading.self) { group in
        for number in UInt8(1)...8 { group.addTask { try await subject.store(token(number)) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let reading = await subject.vault.load()
      let stored = (UInt8(1)...8).map { VaultReading.token(token($0)) }
      try require(stored.contains(reading), "after 8 stores at once the vault reads as \(reading)")
      try require(
        displaced.count == 8 && Set(displaced + [reading]) == Set(stored + [.absent]),
        "8 stores at once took the place of \(displaced)")
    },

    Check(name: "one of several simultaneous exchanges of a token succeeds") { subject in
      try await subject.store(token(0))
      let winners = try await withThrowingTaskGroup(of: UInt8?.self) { group in
        for number in UInt8(1)...8 {
          group.addTask { try await subject.replace(token(0), with: token(number)) ? number : nil }
        }
        return try await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
      }
      try require(winners.count == 1, "\(winners.count) of 8 exchanges of one token were told that they had won")
      for winner in winners { try await subject.expectReading(.token(token(winner)), "after the exchanges") }
    },
  ]
}
