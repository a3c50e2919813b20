import AuthCore

extension SessionVaultContract {
  static let keeping: [Check] = [
    Check("an empty vault is absent, and erasing from it is success") { probe in
      try await probe.expectReading(.absent, "at first")
      try await probe.erase(VaultProbe.token(1))
      try await require(probe.setAside(), is: nil, "something was set aside from an empty vault")
      try await probe.expectReading(.absent, "after forgetting nothing")
    },

    Check("a stored token does not change until it is replaced") { probe in
      try await probe.store(VaultProbe.token(1))
      try await probe.expectReading(.token(VaultProbe.token(1)), "after a store")
      try await probe.expectReading(.token(VaultProbe.token(1)), "at a second look")
      try await probe.store(VaultProbe.token(2))
      try await probe.expectReading(.token(VaultProbe.token(2)), "after another store")
    },

    Check("the next process finds a stored token, and none after an erasure") { probe in
      guard let reopen = probe.subject.reopen else { return }
      try await probe.store(VaultProbe.token(1))
      let found = await reopen().load()
      try require(found == .token(VaultProbe.token(1)), "the next process reads \(found) after a store")
      try await probe.erase(VaultProbe.token(1))
      let afterwards = await reopen().load()
      try require(afterwards == .absent, "the next process reads \(afterwards) after an erasure")
    },

    Check("the user is stored with the token, so that the next process can show it") { probe in
      try await probe.store(VaultProbe.token(1), of: VaultProbe.user)
      let vault = await probe.subject.reopen?() ?? probe.vault
      try await require(
        vault.load(), is: .token(VaultProbe.token(1), of: VaultProbe.user),
        "after a store for a user the vault reads as")
      let other = LastKnownUser(username: "bob", displayName: "Bob")
      _ = try await probe.replace(VaultProbe.token(1), with: VaultProbe.token(2), of: other)
      try await probe.expectReading(.token(VaultProbe.token(2), of: other), "after replace with another name")
      try await probe.store(VaultProbe.token(3))
      try await probe.expectReading(.token(VaultProbe.token(3)), "after a store for nobody")
    },

    Check("replace exchanges the stored token") { probe in
      try await probe.store(VaultProbe.token(1))
      let done = try await probe.replace(VaultProbe.token(1), with: VaultProbe.token(2))
      try require(done, "replacing the kept token answered false")
      try await probe.expectReading(.token(VaultProbe.token(2)), "after replace")
    },

    Check("replace changes nothing if the vault is empty or holds another token") { probe in
      let inEmpty = try await probe.replace(VaultProbe.token(1), with: VaultProbe.token(2))
      try require(!inEmpty, "replacing in an empty vault answered true")
      try await probe.expectReading(.absent, "after a late replace")
      try await probe.store(VaultProbe.token(3))
      let other = try await probe.replace(VaultProbe.token(1), with: VaultProbe.token(2))
      try require(!other, "replacing a token that is not kept answered true")
      try await probe.expectReading(.token(VaultProbe.token(3)), "after a late replace")
    },

    Check("erase erases only the given token") { probe in
      try await probe.store(VaultProbe.token(1))
      try await probe.erase(VaultProbe.token(2))
      try await probe.expectReading(.token(VaultProbe.token(1)), "after another token was erased")
      try await probe.erase(VaultProbe.token(1))
      try await probe.expectReading(.absent, "after an erasure")
      try await probe.erase(VaultProbe.token(1))
    },

    Check("setAside does not move usable content") { probe in
      try await probe.store(VaultProbe.token(1))
      try await require(probe.setAside(), is: nil, "a sound token was set aside")
      try await probe.expectReading(.token(VaultProbe.token(1)), "after setAside")
    },

    Check("simultaneous stores leave one token, and each returns the content that it replaced") { probe in
      let displaced = try await withThrowingTaskGroup(of: VaultReading.self) { group in
        for number in UInt8(1)...8 { group.addTask { try await probe.store(VaultProbe.token(number)) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let reading = await probe.vault.load()
      let stored = (UInt8(1)...8).map { VaultReading.token(VaultProbe.token($0)) }
      try require(stored.contains(reading), "after 8 stores at once the vault reads as \(reading)")
      try require(
        displaced.count == 8 && Set(displaced + [reading]) == Set(stored + [.absent]),
        "8 stores at once took the place of \(displaced)")
    },

    Check("one of several simultaneous exchanges of a token succeeds") { probe in
      try await probe.store(VaultProbe.token(0))
      let winners = try await withThrowingTaskGroup(of: UInt8?.self) { group in
        for number in UInt8(1)...8 {
          group.addTask {
            try await probe.replace(VaultProbe.token(0), with: VaultProbe.token(number)) ? number : nil
          }
        }
        return try await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
      }
      try require(winners.count == 1, "\(winners.count) of 8 exchanges of one token were told that they had won")
      for winner in winners { try await probe.expectReading(.token(VaultProbe.token(winner)), "after the exchanges") }
    },
  ]
}
