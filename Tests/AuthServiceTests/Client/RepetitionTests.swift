import AuthBackend
import AuthCore
import Synchronization
import Testing

@testable import AuthService

/// The rule book answers a repeated request as the first one, so a lost answer costs nothing.
@Suite struct RepetitionTests {
  /// A service whose answer to the first request of a kind is lost after it was done.
  private struct Scene {
    let embedded = EmbeddedRules()
    let service: TestService
    let authority: ServiceAuthority
    private let losing = Losing()

    private final class Losing: Sendable {
      let kind = Mutex<(@Sendable (BackendRequest) -> Bool)?>(nil)
    }

    init() throws {
      try embedded.registerBoth()
      let losing = losing
      service = TestService(embedded.rules.perform) { request in
        losing.kind.withLock { kind in
          guard let isMeant = kind, isMeant(request) else { return false }
          kind = nil
          return true
        }
      }
      authority = service.authority()
    }

    func lose(_ isMeant: @escaping @Sendable (BackendRequest) -> Bool) { losing.kind.withLock { $0 = isMeant } }
    var isLost: Bool { losing.kind.withLock { $0 == nil } }
    func secret(_ token: SessionToken) -> SessionToken { SessionToken(bytes: Array(token.bytes.suffix(32))) }
    func sessions(_ token: SessionToken) throws -> Int { try embedded.rules.sessions(token: secret(token)).count }
  }

  @Test("a login")
  func login() throws {
    let scene = try Scene()
    scene.lose { if case .logIn = $0 { true } else { false } }
    let grant = try scene.authority.logIn(EmbeddedRules.alice, limits: .standard)
    #expect(scene.isLost)
    #expect(try scene.sessions(grant.token) == 1)
  }

  @Test("the password entered again")
  func reauthentication() throws {
    let scene = try Scene()
    let first = try scene.authority.logIn(EmbeddedRules.alice, limits: .standard)
    scene.lose { if case .reauthenticate = $0 { true } else { false } }
    let second = try scene.authority.reauthenticate(
      first.token, password: EmbeddedRules.alice.password, requesting: .standard)
    #expect(scene.isLost)
    #expect(second.id == first.id && second.token != first.token)
    #expect(try scene.authority.lookUp(first.token) != nil)
    _ = try scene.authority.ask(.resume(second.token), \.grant)
    #expect(try scene.authority.lookUp(first.token) == nil)
  }

  @Test("a new password")
  func password() throws {
    let scene = try Scene()
    let first = try scene.authority.logIn(EmbeddedRules.alice, limits: .standard)
    scene.lose { if case .changePassword = $0 { true } else { false } }
    let grant = try scene.authority.changePassword(
      from: EmbeddedRules.alice.password, to: Secret("a quite new passphrase"), token: first.token)
    #expect(scene.isLost)
    #expect(grant.id == first.id)
    _ = try scene.embedded.authority.logIn(
      Credentials.password(username: "alice", password: Secret("a quite new passphrase")), limits: .standard)
  }

  @Test("the answer to a challenge, of a login and of a password entered again")
  func answer() throws {
    let scene = try Scene()
    let secret = try scene.embedded.turnTwoStepOn()
    func code() -> Secret {
      scene.embedded.moveWall(by: TOTP.period)
      return secret.code(at: scene.embedded.wallTime)
    }
    func challenge(_ body: () throws -> Grant) throws -> Challenge {
      guard case .challenged(let challenge)? = failure(body)?.kind else { throw WireFault.invalid("challenge") }
      return challenge
    }
    let login = try challenge {
      try scene.authority.logIn(EmbeddedRules.alice, limits: .standard)
    }
    let sessions = try scene.sessions(scene.authority.answer(code(), to: login).token)
    let second = try challenge {
      try scene.authority.logIn(EmbeddedRules.alice, limits: .standard)
    }
    scene.lose { if case .answer = $0 { true } else { false } }
    let grant = try scene.authority.answer(code(), to: second)
    #expect(scene.isLost)
    #expect(try scene.sessions(grant.token) == sessions + 1)
    let third = try challenge {
      try scene.authority.reauthenticate(grant.token, password: EmbeddedRules.alice.password, requesting: .standard)
    }
    scene.lose { if case .answer = $0 { true } else { false } }
    let renewed = try scene.authority.answer(code(), to: third)
    #expect(scene.isLost)
    #expect(renewed.id == grant.id && renewed.token != grant.token)
  }

  @Test("a payment with a key of the user, and one without, whose key the client draws")
  func payment() throws {
    let scene = try Scene()
    let token = try scene.authority.logIn(EmbeddedRules.alice, limits: .standard).token
    for key in ["rent", nil] {
      let order = PaymentOrder(
        amount: try Amount("10"), payee: try Username("bob"), key: try key.map { try IdempotencyKey($0) })
      scene.lose { if case .pay = $0 { true } else { false } }
      guard case .receipt(let receipt) = try scene.authority.perform(.pay(order, token)) else {
        throw WireFault.invalid("receipt")
      }
      #expect(scene.isLost)
      #expect(receipt.key == key)
      #expect(receipt.isRepetition == (key != nil))
    }
    guard
      case .receipts(let receipts) = try scene.authority.perform(
        .receipts(Page(within: .all, before: nil, limit: 10), token))
    else { throw WireFault.invalid("receipts") }
    #expect(receipts.map(\.key) == [nil, "rent", nil])
    #expect(try scene.embedded.rules.profile(token: scene.secret(token)).balance == 80_00)
  }

  @Test("codes are not repeated: which of them are valid is unknown, and the user makes new ones")
  func codes() throws {
    let scene = try Scene()
    let token = try scene.authority.logIn(EmbeddedRules.alice, limits: .standard).token
    scene.lose { if case .makeRecoveryCodes = $0 { true } else { false } }
    let error = failure { try scene.authority.perform(.makeRecoveryCodes(token)) }
    #expect(error?.code == "outcome_unknown")
    guard case .recoveryCodes(let codes) = try scene.authority.perform(.makeRecoveryCodes(token)) else {
      throw WireFault.invalid("codes")
    }
    _ = try scene.authority.recover(
      username: "alice", code: try #require(codes.first), password: Secret("a quite new passphrase"))
  }

  @Test("a list that does not fit a frame comes in pages")
  func pages() throws {
    let scene = try Scene()
    let token = try scene.authority.logIn(EmbeddedRules.alice, limits: .standard).token
    for number in 0..<(2 * Frames.longestPage) {
      _ = try scene.embedded.rules.perform(.registerOther(username: "user\(number)", scene.secret(token)))
      _ = try scene.embedded.authority.logIn(EmbeddedRules.alice, limits: .standard)
    }
    func rows(_ request: BackendRequest) throws -> [AnyHashable] {
      switch try scene.authority.perform(request) {
      case .accounts(let accounts): accounts
      case .sessions(let sessions): sessions
      case .events(let events): events
      case let answer: throw WireFault.invalid("\(answer)")
      }
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
