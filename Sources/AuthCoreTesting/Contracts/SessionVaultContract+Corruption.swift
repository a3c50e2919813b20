import AuthCore

extension SessionVaultContract {
  static let corruption: [Check] = [
    Check("load does not change corrupt content") { probe in
      guard let corrupt = probe.subject.corrupt else { return }
      await corrupt()
      try await probe.expectCorrupt("at first")
      try await probe.expectCorrupt("at a second look")
    },

    Check("store sets corrupt content aside") { probe in
      guard let corrupt = probe.subject.corrupt else { return }
      await corrupt()
      let before = await probe.subject.evidence?()
      let displaced = try await probe.store(VaultProbe.token(1))
      guard case .corrupt = displaced else {
        throw Breach("a store over corrupt content said that it took the place of \(displaced)")
      }
      try await probe.expectReading(.token(VaultProbe.token(1)), "after a store over corrupt content")
      guard let before, let after = await probe.subject.evidence?() else { return }
      try require(after == before + 1, "corrupt content was overwritten, not set aside")
    },

    Check("setAside moves corrupt content and returns its new place") { probe in
      guard let corrupt = probe.subject.corrupt else { return }
      for round in 1...2 {
        await corrupt()
        let before = await probe.subject.evidence?()
        try await require(probe.setAside()?.isEmpty, is: false, "setAside did not say where the content is now")
        try await probe.expectReading(.absent, "after setAside")
        guard let before, let after = await probe.subject.evidence?() else { continue }
        try require(
          after == before + 1, "after \(round) times there are \(after) pieces of evidence, not \(before + 1)")
      }
    },

    Check("replace and erase do not change corrupt content") { probe in
      guard let corrupt = probe.subject.corrupt else { return }
      await corrupt()
      let done = try await probe.replace(VaultProbe.token(1), with: VaultProbe.token(2))
      try require(!done, "replacing in a corrupt vault answered true")
      try await probe.expectCorrupt("after replace")
      try await probe.erase(VaultProbe.token(1))
      try await probe.expectCorrupt("after erase")
    },
  ]
}
