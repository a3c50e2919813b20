import AuthBackend
import AuthCore
import AuthSQLite
import Testing

@Suite("A login in two steps") struct TwoStepTests {
  /// Alice with a second step, and a clock for her codes.
  private struct Scene {
    let work = Workspace()
    let wall = MovableTime()
    let authority: LocalAuthority
    let secret: TwoStepSecret
    let session: Grant

    init() throws {
      let wall = wall
      authority = work.authority(wallClock: { wall.now })
      try authority.registerBoth()
      session = try authority.logIn()
      secret = try authority.turnTwoStepOn(session.token)
      wall.move(by: TOTP.period)
    }

    var code: Secret { secret.code(at: wall.now) }
  }

  @Test("a challenge lives for five minutes and not past a reboot, and any process takes its answer, once")
  func time() throws {
    let scene = try Scene()
    let late = try scene.authority.challenge()
    scene.work.clock.advance(by: .seconds(300))
    #expect(code { try scene.authority.answer(scene.code, to: late) } != nil)
    let rebooted = try scene.authority.challenge()
    scene.work.clock.reboot()
    #expect(code { try scene.authority.answer(scene.code, to: rebooted) } != nil)
    // None of them used the code up.
    let open = try scene.authority.challenge()
    let restarted = scene.work.authority(wallClock: { scene.wall.now })
    _ = try restarted.answer(scene.code, to: open)
    scene.wall.move(by: TOTP.period)
    #expect(code { try scene.authority.answer(scene.code, to: open) } != nil)
  }

  @Test("an answer that is repeated under its token is the same session, and uses no other code up")
  func repeated() throws {
    let scene = try Scene()
    let challenge = try scene.authority.challenge()
    let new = NewSession(token: SessionToken(bytes: [UInt8](repeating: 7, count: 32)), label: nil, origin: nil)
    let first = try scene.authority.ask(.answer(scene.code, challenge: challenge.token, new), \.grant)
    let second = try scene.authority.ask(.answer(scene.code, challenge: challenge.token, new), \.grant)
    #expect(first == second)
    let other = NewSession(token: SessionToken(bytes: [UInt8](repeating: 8, count: 32)), label: nil, origin: nil)
    #expect(
      code {
        try scene.authority.ask(.answer(scene.code, challenge: challenge.token, other), \.grant)
      }
        == "credentials_not_accepted")
  }

  @Test("a hash of higher cost is stored when the code is right too, and not before")
  func betterHash() throws {
    let scene = try Scene()
    let dear = scene.work.authority(cost: PasswordCost(count: 2), wallClock: { scene.wall.now })
    func stored() throws -> PasswordCost? {
      PasswordCost(of: try #require(scene.work.raw.rows("SELECT password_hash FROM accounts WHERE id = 1")?[0][0]))
    }
    let challenge = try dear.challenge()
    #expect(try stored() == .least)
    #expect(scene.work.raw.number("SELECT count(*) FROM events WHERE name = 'authn_password_rehash'") == 0)
    _ = try dear.answer(scene.code, to: challenge)
    #expect(try stored() == PasswordCost(count: 2))
    #expect(scene.work.raw.number("SELECT count(*) FROM events WHERE name = 'authn_password_rehash'") == 1)
  }

  @Test("a wall clock that is set back opens nothing again")
  func clockSetBack() throws {
    let scene = try Scene()
    let used = scene.code
    _ = try scene.authority.answer(used, to: try scene.authority.challenge())
    scene.wall.move(by: -2 * TOTP.period)
    let before = scene.code
    for code in [used, before] {
      let challenge = try scene.authority.challenge()
      #expect(failure { try scene.authority.answer(code, to: challenge) } != nil)
    }
  }

  @Test("secret, codes and challenges are in no event and in no description")
  func noSecrets() throws {
    let scene = try Scene()
    let challenge = try scene.authority.challenge()
    let wrong = failure {
      try scene.authority.answer(Secret("123 no code"), to: challenge)
    }
    let grant = try scene.authority.answer(scene.code, to: challenge)
    let code = String(decoding: scene.code.bytes, as: UTF8.self)
    let events = try scene.authority.rules.events(token: grant.token)
    for text in ["\(events)", "\(challenge)", "\(String(describing: wrong))"] {
      for secret in [code, scene.secret.text, "123 no code"] { #expect(!text.contains(secret), "\(text)") }
    }
  }

  @Test("the step of a payment's password is asked for too, and the session goes on meanwhile")
  func reauthentication() throws {
    let scene = try Scene()
    let token = scene.session.token
    let kind = failure {
      try scene.authority.reauthenticate(token, password: alicePassword, requesting: .standard)
    }?.kind
    guard case .challenged(let challenge) = kind else { throw UnexpectedAnswer(kind: kind) }
    _ = try scene.authority.rules.profile(token: token)
    let grant = try scene.authority.answer(scene.code, to: challenge)
    #expect(grant.id == scene.session.id && grant.token != token)
  }

  @Test("deleting an account deletes its secret")
  func deletion() throws {
    let scene = try Scene()
    scene.work.raw.script(
      """
      UPDATE accounts SET role = 'administrator' WHERE name = 'bob';
      UPDATE ledger_accounts SET balance = 0 WHERE id = 1
      """)
    try scene.authority.rules.deleteAccount(token: scene.session.token)
    #expect(scene.work.raw.number("SELECT count(*) FROM two_steps") == 0)
  }
}
