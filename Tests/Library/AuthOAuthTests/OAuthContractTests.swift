import AuthCore
import AuthCoreTesting
import Testing

/// The contract of every authority, over a server in memory and a browser.
@Suite(.timeLimit(.minutes(10))) struct OAuthContractTests {
  private static func subject(_ change: @Sendable (inout ServerDouble.State) -> Void) -> AuthorityContract.Subject {
    let world = OAuthWorld {
      // Only an ID token proves a recent password.
      $0.identifies = true
      change(&$0)
    }
    func account(_ name: String) -> Credentials {
      Credentials.password(username: name, password: Secret(ServerDouble.passwords[name] ?? ""))
    }
    return AuthorityContract.Subject(
      authority: world, first: account("alice"), second: account("bob"), advance: { world.clock.advance(by: $0) },
      setAvailable: { isAvailable in world.server.set { $0.isOffline = !isAvailable } },
      stranger: world.authority(clientID: "another"))
  }

  @Test("the authority keeps the contract", arguments: AuthorityContract.checks, [true, false])
  func keepsContract(check: AuthorityContract.Check, rotates: Bool) async {
    let violation = await check.run(on: Self.subject { $0.rotates = rotates })
    #expect(violation == nil)
  }

  @Test("where refresh tokens cannot be asked about, a saved session is believed, and in this process nothing else")
  func believesVault() async {
    let violations = await AuthorityContract.violations { Self.subject { $0.introspects = false } }
    #expect(violations.map(\.check) == ["an authority that cannot answer reports it, and changes nothing"])
  }
}
