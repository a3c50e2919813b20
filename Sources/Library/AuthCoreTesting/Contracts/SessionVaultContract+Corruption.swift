import AuthCore

extension SessionVaultContract {
  static let corruption: [Check] = [
    corrupted("load does not change corrupt content") { subject in
      try await subject.expectCorrupt("at first")
      try await subject.expectCorrupt("at a second look")
    },

    corrupted("store sets corrupt content aside") { subject in
      try await subject.expectEvidence {
        let displaced = try await subject.store(token(1))
        guard case .corrupt = displaced else {
          throw Breach("a store over corrupt content said that it took the place of \(displaced)")
        }
      }
      try await subject.expectReading(.token(token(1)), "after a store over corrupt content")
    },

    corrupted("setAside moves corrupt content and returns its new place") { subject in
      for _ in 1...2 {
        await subject.corrupt?()
        try await subject.expectEvidence {
          try await require(
            subject.vault.setAside()?.isEmpty, is: false, "setAside did not say where the content is now")
        }
        try await subject.expectReading(.absent, "after setAside")
      }
    },

    corrupted("replace and erase do not change corrupt content") { subject in
      try await require(subject.replace(token(1), with: token(2)), is: false, "replacing in a corrupt vault answered")
      try await subject.expectCorrupt("after replace")
      try await subject.vault.erase(token(1))
      try await subject.expectCorrupt("after erase")
    },
  ]

  /// Creates a check of a vault with corrupt content.
  private static func corrupted(_ name: String, _ body: @escaping @Sendable (Subject) async throws -> Void) -> Check {
    Check(name: name) { subject in
      guard let corrupt = subject.corrupt else { return }
      await corrupt()
      try await body(subject)
    }
  }
}

extension SessionVaultContract.Subject {
  fileprivate func expectCorrupt(_ moment: String) async throws {
    let reading = await vault.load()
    guard case .corrupt = reading else { throw Breach("\(moment) the vault reads as \(reading), not as corrupt") }
  }

  /// Requires that `body` sets the corrupt content aside.
  fileprivate func expectEvidence(_ body: () async throws -> Void) async throws {
    let before = await evidence?()
    try await body()
    guard let before, let after = await evidence?() else { return }
    try require(after, is: before + 1, "corrupt content was overwritten, not set aside: the pieces of evidence are")
  }
}
