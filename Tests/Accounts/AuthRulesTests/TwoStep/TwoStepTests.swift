import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Services
import Testing

@Suite("A login in two steps", .timeLimit(.minutes(10))) struct TwoStepTests {
  /// Alice with a second step, and a clock for her codes.
  private struct Scene {
    let work = Workspace()
    let authority: LocalAuthority
    let secret: TwoStepSecret
    let session: Grant

    init() throws {
      authority = work.authority()
      try authority.registerBoth()
      session = try authority.logIn()
      secret = try authority.turnTwoStepOn(session.token)
      work.wall.advance(by: .seconds(TOTP.period))
    }

    var code: Secret { secret.code(at: work.wall.wallTime) }
  }

  @Test(
    "a challenge lives for five minutes and not past a reboot or a clock set back, and any process takes its answer once"
  )
  func time() throws {
    let scene = try Scene()
    let late = try scene.authority.challenge()
    scene.work.clock.advance(by: .seconds(300))
    #expect(code { try scene.authority.answer(scene.code, to: late) } != nil)
    scene.work.clock.advance(by: .seconds(86_400))
    let future = try scene.authority.challenge()
    scene.work.clock.advance(by: .seconds(-86_400))
    #expect(code { try scene.authority.answer(scene.code, to: future) } != nil)
    let rebooted = try scene.authority.challenge()
    scene.work.clock.reboot()
    #expect(code { try scene.authority.answer(scene.code, to: rebooted) } != nil)
    // None of them used the code up.
    let open = try scene.authority.challenge()
    let restarted = scene.work.authority()
    _ = try restarted.answer(scene.code, to: open)
    scene.work.wall.advance(by: .seconds(TOTP.period))
    #expect(code { try scene.authority.answer(scene.code, to: open) } != nil)
  }

  @Test("a hash of higher cost is stored when the code is right too, and not before")
  func betterHash() throws {
    let scene = try Scene()
    let dear = scene.work.authority(cost: PasswordCost(count: 2))
    let challenge = try dear.challenge()
    #expect(try PasswordCost(of: scene.work.storedHash()) == .least)
    #expect(scene.work.raw.number("SELECT count(*) FROM events WHERE name = 'authn_password_rehash'") == 0)
    _ = try dear.answer(scene.code, to: challenge)
    #expect(try PasswordCost(of: scene.work.storedHash()) == PasswordCost(count: 2))
    #expect(scene.work.raw.number("SELECT count(*) FROM events WHERE name = 'authn_password_rehash'") == 1)
  }

  @Test("a used code is not accepted again after the wall clock was set back")
  func clockSetBack() throws {
    let scene = try Scene()
    let used = scene.code
    _ = try scene.authority.answer(used, to: try scene.authority.challenge())
    scene.work.wall.advance(by: .seconds(-2 * TOTP.period))
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
}
