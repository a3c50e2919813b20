import AuthBackend
import AuthCore
import Glibc
import Services
import Synchronization
import Testing

@testable import AuthService

/// The rule book answers a repeated request as the first one, so a lost answer costs nothing.
@Suite struct RepetitionTests {
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
      let tag = Mutex<RequestTag?>(nil)

      func isMeant(_ request: BackendRequest) -> Bool {
        tag.withLock { tag in
          guard let bytes = try? ClientFrame.request(0, request).encoded(), bytes[9] == tag?.rawValue else {
            return false
          }
          tag = nil
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
          let answer = Result { () throws(BackendError) in try inner.perform(request) }
          guard next.isMeant(request) else { return try answer.get() }
          real?.end(SIGKILL)
          do { try real?.start() } catch { preconditionFailure("\(error)") }
          return nil
        })
      authority = service.authority(ClientLimits())
    }

    /// What `body` returns while the answer to a request of this kind is lost.
    func losing<Result>(_ tag: RequestTag, _ body: () throws -> Result) throws -> Result {
      next.tag.withLock { $0 = tag }
      defer { #expect(next.tag.withLock { $0 } == nil, "no answer was lost") }
      return try body()
    }

    func sessions(_ token: SessionToken) throws -> [SessionID] {
      try authority.ask(.sessions(SessionsPage(), token), \.sessions).map(\.id)
    }
  }

  @Test("a login begins one session", arguments: Loss.allCases)
  func login(_ loss: Loss) throws {
    let scene = try Scene(loss)
    let grant = try scene.losing(.logIn) { try scene.authority.logIn() }
    #expect(try scene.sessions(grant.token) == [grant.id])
  }

  @Test("a session is renewed once, by its password and by a new one", arguments: Loss.allCases)
  func renewal(_ loss: Loss) throws {
    let scene = try Scene(loss)
    let authority = scene.authority
    let first = try authority.logIn()
    let second = try scene.losing(.reauthenticate) {
      try authority.reauthenticate(first.token, password: alicePassword)
    }
    #expect(second.id == first.id && second.token != first.token)
    #expect(try authority.lookUp(first.token) != nil)
    _ = try authority.ask(.resume(second.token), \.grant)
    #expect(try authority.lookUp(first.token) == nil)
    let third = try scene.losing(.changePassword) {
      try authority.changePassword(from: alicePassword, to: newPassword, token: second.token)
    }
    #expect(third.id == first.id)
    try authority.ask(.confirm(third.token), \.done)
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
    let grant = try scene.losing(.answer) { try authority.answer(next(), to: login) }
    #expect(try scene.sessions(grant.token).count == sessions.count + 1)
    let challenge = try challenge(of: {
      try authority.reauthenticate(grant.token, password: alicePassword)
    })
    let renewed = try scene.losing(.answer) { try authority.answer(next(), to: challenge) }
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
      let order = try authority.order("10", key: key)
      let receipt = try scene.losing(.pay) { try authority.ask(.pay(order, token), \.receipt) }
      #expect(receipt.key == key && receipt.isRepetition == (key != nil))
    }
    let page = Page(within: .all, before: nil, limit: 10)
    let receipts = try authority.ask(.receipts(page, token), \.receipts)
    #expect(receipts.map(\.key) == [nil, "rent", nil])
  }

  @Test(
    "codes are not repeated: which of them are valid is unknown, and the user makes new ones",
    arguments: Loss.allCases)
  func codes(_ loss: Loss) throws {
    let scene = try Scene(loss)
    let authority = scene.authority
    let token = try authority.logIn().token
    let lost = try scene.losing(.makeRecoveryCodes) { code { try authority.perform(.makeRecoveryCodes(token)) } }
    #expect(lost == "outcome_unknown")
    let codes = try authority.ask(.makeRecoveryCodes(token), \.recoveryCodes)
    _ = try authority.recover(username: "alice", code: try #require(codes.first), password: newPassword)
  }

  @Test("a list that does not fit a frame comes in pages")
  func pages() throws {
    let scene = try Scene(.connection)
    let token = try scene.authority.logIn().token
    for number in 0..<(2 * Frames.longestPage) {
      _ = try scene.embedded.rules.perform(
        .registerOther(username: "user\(number)", SessionToken(bytes: Array(token.bytes.suffix(32)))))
      _ = try scene.embedded.authority().logIn()
    }
    func rows(_ request: BackendRequest) throws -> [AnyHashable] {
      let answer = try scene.authority.perform(request)
      let lists: [[AnyHashable]?] = [answer.accounts, answer.sessions, answer.events?.rows]
      return try #require(lists.compactMap(\.self).first)
    }
    for (list, count) in [
      ({ .accounts(AccountsQuery(limit: $0), token) }, 2 * Frames.longestPage + 2),
      ({ .sessions(SessionsPage(limit: $0), token) }, 2 * Frames.longestPage + 1),
      ({ .events(.everyone, Page(within: .all, before: nil, limit: $0), token) }, 4 * Frames.longestPage + 1),
    ] as [((Int) -> BackendRequest, Int)] {
      let everything = try rows(list(.max))
      #expect(everything.count >= count && Set(everything).count == everything.count)
      #expect(try rows(list(Frames.longestPage + 1)) == Array(everything.prefix(Frames.longestPage + 1)))
      #expect(try rows(list(2 * Frames.longestPage)).count == 2 * Frames.longestPage)
      #expect(try rows(list(0)).isEmpty)
    }
  }
}
