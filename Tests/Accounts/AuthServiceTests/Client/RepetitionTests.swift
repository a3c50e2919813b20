import AuthAccounts
import AuthCore
import AuthRules
import Glibc
import Services
import Synchronization
import Testing

@testable import AuthService

/// The rule book answers a repeated request as the first one, so a lost answer costs nothing.
@Suite(.timeLimit(.minutes(10))) struct RepetitionTests {
  /// What is lost when a request was done, before its answer arrives.
  enum Loss: CaseIterable {
    /// The connection.
    case connection
    /// The process of auth-service, which is started again.
    case process
  }

  /// A service that loses the answer to one request.
  private struct Scene {
    let embedded = Workspace(isShared: true)
    let authority: ServiceAuthority
    private let service: TestService
    private let next = Next()

    /// The kind of the request whose answer is lost.
    private final class Next: Sendable {
      let name = Mutex<String?>(nil)

      func isMeant(_ request: Request) -> Bool {
        name.withLock { name in
          guard request.operation.name == name else { return false }
          name = nil
          return true
        }
      }
    }

    init(_ loss: Loss) throws {
      let real: RunningService? = loss == .process ? try RunningService() : nil
      let inner: any Backend
      if let real {
        inner = try ServiceAuthority(address: "unix:" + real.socket)
        _ = try inner.clock.now()
      } else {
        let authority = embedded.authority()
        try authority.registerBoth()
        inner = authority
      }
      let database = inner.connection?.database ?? TestService.hello.database
      let hello = ServiceHello(database: database, now: Samples.instant, policy: .standard)
      service = TestService(
        hello: hello,
        answering: { [next] (request) throws(BackendError) in
          let answer = Result { () throws(BackendError) in try request.perform(inner) }
          guard next.isMeant(request) else { return try answer.get() }
          real?.end(SIGKILL)
          do { try real?.start() } catch { preconditionFailure("\(error)") }
          return nil
        })
      authority = service.authority()
    }

    /// What `body` returns while the answer to a request of this kind is lost.
    func losing<Result>(_ operation: any AnyOperation, _ body: () throws -> Result) throws -> Result {
      next.name.withLock { $0 = operation.name }
      defer { #expect(next.name.withLock { $0 } == nil, "no answer was lost") }
      return try body()
    }

    func sessions(_ token: SessionToken) throws -> [SessionID] {
      try authority.ask(Operations.sessions, SessionsPage(), token).map(\.id)
    }
  }

  @Test("a login begins one session", arguments: Loss.allCases)
  func login(_ loss: Loss) throws {
    let scene = try Scene(loss)
    let grant = try scene.losing(Operations.logIn) { try scene.authority.logIn() }
    #expect(try scene.sessions(grant.token) == [grant.id])
  }

  @Test("a session is renewed once, by its password and by a new one", arguments: Loss.allCases)
  func renewal(_ loss: Loss) throws {
    let scene = try Scene(loss)
    let authority = scene.authority
    let first = try authority.logIn()
    let second = try scene.losing(Operations.reauthenticate) {
      try authority.reauthenticate(first.token, password: alicePassword)
    }
    #expect(second.id == first.id && second.token != first.token)
    #expect(try authority.lookUp(first.token) != nil)
    _ = try authority.ask(Operations.resume, second.token)
    #expect(try authority.lookUp(first.token) == nil)
    let third = try scene.losing(Operations.changePassword) {
      try authority.changePassword(from: alicePassword, to: newPassword, token: second.token)
    }
    #expect(third.id == first.id)
    try authority.ask(Operations.confirm, third.token)
    _ = try authority.logIn("alice", newPassword)
  }

  @Test("the answer to a challenge, of a login and of a password entered again, is accepted once")
  func answer() throws {
    let scene = try Scene(.connection)
    let authority = scene.authority
    let secret = try scene.embedded.authority().turnTwoStepOn()
    func next() -> Secret { scene.embedded.wall.nextCode(secret) }
    let sessions = try scene.sessions(authority.answer(next(), to: try authority.challenge()).token)
    let login = try authority.challenge()
    let grant = try scene.losing(Operations.answer) { try authority.answer(next(), to: login) }
    #expect(try scene.sessions(grant.token).count == sessions.count + 1)
    let challenge = try challenge(of: {
      try authority.reauthenticate(grant.token, password: alicePassword)
    })
    let renewed = try scene.losing(Operations.answer) { try authority.answer(next(), to: challenge) }
    #expect(renewed.id == grant.id && renewed.token != grant.token)
    // Under another token it is another answer, and the code is used up.
    let used = code { try authority.answer(scene.embedded.wall.code(secret), to: try authority.challenge()) }
    #expect(used == "code_missing")
  }

  @Test(
    "a payment is made once: with a key of the user, and without one, when the client draws a key",
    arguments: Loss.allCases)
  func payment(_ loss: Loss) throws {
    let scene = try Scene(loss)
    let authority = scene.authority
    let token = try authority.logIn().token
    for key in ["rent", nil] {
      let order = try PaymentOrder("10", key: key)
      let receipt = try scene.losing(Operations.pay) { try authority.ask(Operations.pay, order, token) }
      #expect(receipt.key == key && receipt.isRepetition == (key != nil))
    }
    let page = Page(within: .all, before: nil, limit: 10)
    let receipts = try authority.ask(Operations.receipts, page, token)
    #expect(receipts.map(\.key) == [nil, "rent", nil])
  }

  @Test(
    "codes are not repeated: which of them are valid is unknown, and the user makes new ones",
    arguments: Loss.allCases)
  func codes(_ loss: Loss) throws {
    let scene = try Scene(loss)
    let authority = scene.authority
    let token = try authority.logIn().token
    let lost = try scene.losing(Operations.makeRecoveryCodes) {
      code { try authority.ask(Operations.makeRecoveryCodes, token) }
    }
    #expect(lost == "outcome_unknown")
    let codes = try authority.ask(Operations.makeRecoveryCodes, token)
    _ = try authority.recover(username: "alice", code: try #require(codes.first), password: newPassword)
  }

  @Test("a list that does not fit a frame comes in pages")
  func pages() throws {
    let scene = try Scene(.connection)
    let token = try scene.authority.logIn().token
    for number in 0..<(2 * Frames.longestPage) {
      _ = try scene.embedded.rules.registerOther(
        username: "user\(number)", token: SessionToken(bytes: Array(token.bytes.suffix(32))))
      // With the first one there are as many sessions as an account may have.
      if number > 0 { _ = try scene.embedded.authority().logIn() }
    }
    let authority = scene.authority
    for (rows, count) in [
      ({ try authority.ask(Operations.accounts, AccountsQuery(limit: $0), token) }, 2 * Frames.longestPage + 2),
      ({ try authority.ask(Operations.sessions, SessionsPage(limit: $0), token) }, 2 * Frames.longestPage),
      ({ try authority.ask(Operations.allEvents, .everyone, Page(limit: $0), token).rows }, 4 * Frames.longestPage + 1),
    ] as [((Int) throws -> [AnyHashable], Int)] {
      let everything = try rows(.max)
      #expect(everything.count >= count && Set(everything).count == everything.count)
      #expect(try rows(Frames.longestPage + 1) == Array(everything.prefix(Frames.longestPage + 1)))
      #expect(try rows(2 * Frames.longestPage).count == 2 * Frames.longestPage)
      #expect(try rows(0).isEmpty)
    }
  }
}
