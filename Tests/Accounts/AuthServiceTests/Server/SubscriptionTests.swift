import AuthAccounts
import AuthCore
import AuthServer
import Services
import Testing

@testable import AuthService

@Suite("Subscriptions", .timeLimit(.minutes(10)))
struct SubscriptionTests {
  /// Subscribes a new connection to what concerns the session's user.
  private func subscriber(_ service: RunningService, _ token: SessionToken) throws -> ServiceClient {
    let client = try service.client()
    try client.send(.subscribe(1, token))
    _ = try client.answer(1)
    return client
  }

  @Test("a payment notifies the subscribers of payer and payee, and no other")
  func payment() throws {
    let service = try RunningService(["alice", "bob", "carol", "dave"])
    let client = try service.client()
    let tokens = try ["bob", "carol", "dave"].map { try client.logIn($0) }
    let (bob, carol, dave) =
      (try subscriber(service, tokens[0]), try subscriber(service, tokens[1]), try subscriber(service, tokens[2]))
    let order = PaymentOrder(amount: try Amount("1"), payee: try Username("carol"), key: nil)
    _ = try client.ask(Operations.pay, order, tokens[0])
    for told in [bob, carol] {
      try #require(try told.isNotified(), "not told")
    }
    // What was not for dave does not come before what is.
    try dave.send(.request(2, try Operations.lookUp(tokens[2]).body(.plain)))
    _ = try dave.answer(2)
  }

  @Test("a subscriber is notified of the end of its session, and of nothing afterwards")
  func end() throws {
    let service = try RunningService()
    let client = try service.client()
    let (first, second) = (try client.logIn("bob"), try client.logIn("bob"))
    let told = try subscriber(service, first)
    _ = try client.ask(Operations.revoke, first, .userAsked)
    try #require(try told.isNotified(), "not told")
    try told.send(.request(2, try Operations.lookUp(first).body(.plain)))
    guard case .some(nil) = try Operations.lookUp.response(in: told.answer(2), for: .plain) else {
      throw UnexpectedAnswer()
    }
    let witness = try subscriber(service, second)
    _ = try client.ask(Operations.rename, "Robert", second)
    try #require(try witness.isNotified(), "the witness was not told")
    try told.send(.request(3, try Operations.lookUp(first).body(.plain)))
    // Without news of the rename before it.
    _ = try told.answer(3)
  }

  @Test("a client that hangs up before it is subscribed leaves no subscription behind")
  func hangingUp() throws {
    let (embedded, authority) = try Workspace.inhabited(isShared: true)
    let service = try ServedRules(embedded.rules)
    let token = try authority.logIn("bob", bobPassword).token
    for _ in 0..<500 { try ServiceClient(service.path).send(.subscribe(1, token)) }
    let client = try ServiceClient(service.path)
    // Each request is a round through the threads that close what was dropped.
    var rounds = 0
    while service.status.connections + service.status.requests.running > 1, rounds < 100_000 {
      _ = try client.lookUp(token)
      rounds += 1
    }
    #expect(service.status.connections == 1)
    #expect(service.status.subscribers == 0)
  }

  @Test("without an active session nobody subscribes")
  func refused() throws {
    let service = try RunningService()
    let client = try service.client()
    try client.send(.subscribe(1, ServiceClient.token()))
    #expect(try client.failure(1).kind == .session(.ended(.revoked)))
  }
}
