import AuthAccounts
import AuthCore
import AuthRules
import Services
import Testing

@testable import AuthService

@Suite("Guesses at the service", .timeLimit(.minutes(10)))
struct GuessTests {
  enum Guess: CaseIterable { case login, newPassword, password, answer, secondStep }

  @Test(
    "a guess is counted even if its client hangs up before the answer, and after five none is checked",
    arguments: Guess.allCases)
  func counted(_ guess: Guess) throws {
    let (embedded, authority) = try Workspace.inhabited(isShared: true)
    let secret = try authority.turnTwoStepOn()
    let service = try ServedRules(embedded.rules)
    embedded.wall.advance(by: .seconds(TOTP.period))
    let token = try authority.answer(secret.code(at: embedded.wall.wallTime), to: try authority.challenge()).token
    let last = try authority.challenge()
    let (wrong, new) = (Secret("not the password"), Secret("a quite new passphrase"))
    func request(_ isRight: Bool) throws -> Request {
      let password = isRight ? alicePassword : wrong
      let code = isRight ? secret.code(at: embedded.wall.wallTime) : Secret("000000")
      let session = NewSession(token: ServiceClient.token(), label: nil, origin: nil)
      return switch guess {
      case .login: Operations.logIn(.password(username: "alice", password: password), .standard, session)
      case .password: Operations.reauthenticate(token, password, .standard, session.token)
      case .newPassword: Operations.changePassword(password, new, token, session.token)
      // A challenge takes three answers.
      case .answer: Operations.answer(code, (isRight ? last : try authority.challenge()).token, session)
      case .secondStep: Operations.endTwoStep(code, token)
      }
    }
    for count in 1...5 {
      let client = try ServiceClient(service.path)
      try client.send(try request(false))
      // Its answer shows that the guess was read before.
      try client.send(Operations.lookUp(ServiceClient.token()))
      while case .response(1, _, _)? = try client.next() {}
      try #require(try self.count(embedded, token, until: count) == count)
    }
    embedded.wall.advance(by: .seconds(TOTP.period))
    let (client, right) = (try service.authority(), try request(true))
    let error = failure { try right.perform(client) }
    guard case .throttled = error?.kind else {
      Issue.record("heard: \(String(describing: error))")
      return
    }
  }

  /// The guesses that are counted, when there are as many, or when many looks did not see them.
  private func count(_ embedded: Workspace, _ token: SessionToken, until count: Int) throws -> Int {
    var seen = 0
    for _ in 0..<10_000 where seen < count {
      seen = Int(try embedded.rules.account(named: Username("alice"), token: token).failedAttempts)
    }
    return seen
  }
}
