import AuthCore
import AuthLocal
import Testing

@Suite struct FirstSliceTests {
  @Test("register, log in, resume, pay, receipts, revoke") func mainJob() async throws {
    let work = Workspace()
    let authority = work.authority()
    let alice = try authority.register(username: "Alice", password: alicePassword)
    #expect(alice.role == .administrator && alice.username == "alice" && alice.displayName == "Alice")
    let bob = try authority.register(username: "bob", password: bobPassword)
    #expect(bob.role == .member)
    let grant = try await authority.authenticate(
      Credentials(username: "alice", password: alicePassword), limits: .standard)
    let resumed = try await authority.resume(grant.token)
    #expect(resumed == grant)
    let order = try PaymentOrder(amount: Amount("12.50"), payee: Username("bob"), key: IdempotencyKey("k"))
    let receipt = try authority.pay(order, token: grant.token)
    #expect(try authority.pay(order, token: grant.token) == receipt)
    #expect(try authority.receipts(token: grant.token).map(\.amount.description) == ["12.50", "100.00"])
    #expect(try authority.profile(token: grant.token).balance == 8750)
    try await authority.revoke(grant.token, reason: .userAsked)
    await #expect(throws: AuthorityFailure<SessionRejection>.rejected(.ended(.userAsked))) {
      try await authority.resume(grant.token)
    }
    #expect(work.mode(work.data) == "700")
    #expect(work.mode(work.databasePath) == "600")
    #expect(work.mode(work.databasePath + "-journal") == "600")
  }

  @Test func vault() async throws {
    let work = Workspace()
    let vault = work.vault()
    let (first, second) = (SessionToken(bytes: Array(0..<32)), SessionToken(bytes: Array(1..<33)))
    #expect(await vault.load() == .absent)
    try await vault.store(first)
    #expect(await vault.load() == .token(first))
    #expect(try await vault.replace(second, with: first) == false)
    #expect(try await vault.replace(first, with: second))
    try await vault.erase(first)
    #expect(await vault.load() == .token(second))
    try await vault.erase(second)
    #expect(await vault.load() == .absent)
  }
}
