import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("nothing secret is shown", .timeLimit(.minutes(10)))
struct SecrecyTests: InWorld {
  let world = World()

  private func shown(_ value: some Any) -> String {
    var text = "\(value) " + String(reflecting: value)
    dump(value, to: &text)
    return text
  }

  @Test("no password and no token appears in any output of a value that holds one")
  func values() async throws {
    authority.setAccessTokens(lasting: .seconds(300))
    let secret = "correct horse battery"
    let key = try await store.loggedIn(World.alice)
    let token = try #require(authority.liveTokens.first)
    let grant = key.record.grant
    let marks = [
      secret, "token-1", "access-1", "\(Array(secret.utf8))", "\(token.bytes)",
      token.bytes.map(String.init).joined(separator: ", "),
    ]
    let holders: [Any] = [
      World.alice, World.alice.password, token, grant, try #require(grant.accessToken), key, key.record,
      try FreshSession(key),
      VaultReading.token(token), VaultEvidence("cut short", hint: "", salvaged: token), store.state,
      SessionChange(revision: 1, snapshot: store.state), Effect.Targets(token: token),
      Effect.save(Epoch(number: 1), grant),
      Effect.renew(Epoch(number: 1), key.record), SessionEvent.answered(Epoch(number: 1), .granted(grant)),
      SessionEvent.restored(Epoch(number: 1), .ended(.revoked, token)),
      SessionState.loggedIn(LoggedIn(session: key.record)),
      SessionMachine(), LoginResult.loggedIn(key), RestoreOutcome.loggedIn(key),
      RenewalCause.access(known: grant.accessToken),
      Submitted.credentials(World.alice, .standard), Submitted.answer(World.code),
      SessionError.corrupt(VaultEvidence("x", hint: "", salvaged: token)),
    ]
    for holder in holders {
      let text = shown(holder)
      for mark in marks { #expect(!text.contains(mark), "\(type(of: holder)) shows a secret") }
    }
    try key.withLease { lease in
      let user = lease.user
      #expect(!shown(user).contains("token-1"))
    }
  }

  @Test("no failure contains a secret")
  func failures() async throws {
    let wrong = await #expect(throws: SessionError.self) { try await store.loggedIn(World.wrong) }
    vault.failWrites(World.diskError)
    let unsaved = await #expect(throws: SessionError.self) { try await store.loggedIn(World.alice) }
    for failure in [wrong, unsaved] {
      let text = shown(try #require(failure))
      for mark in ["guess", "correct horse", "token-"] { #expect(!text.contains(mark)) }
    }
  }
}
