import AuthCore
import Testing

@testable import AuthCLIProgram

/// Which access token is renewed because a server refused one.
@Suite(.timeLimit(.minutes(10))) struct RefusedTokenTests {
  private let boot = BootID(high: 0, low: 1)
  private let saved = AccessToken("token", deadline: .never)

  private func instant(_ seconds: Int64, _ boot: BootID? = nil) -> BootInstant {
    BootInstant(boot: boot ?? self.boot, uptime: .seconds(seconds))
  }

  @Test("a token of the last seconds is not renewed again: all who ask then get the same new one")
  func shared() {
    func isMeant(_ requested: BootInstant?) -> Bool {
      RefusedToken.saved.isMeant(saved, requested: requested, now: instant(100))
    }
    #expect(!isMeant(instant(100)) && !isMeant(instant(96)) && isMeant(instant(95)) && isMeant(nil))
    // After a restart of the machine nobody knows its age.
    #expect(isMeant(instant(99, BootID(high: 0, low: 2))))
  }

  @Test("a token that was named is renewed however new it is, and another one never is")
  func named() {
    func isMeant(_ name: String) -> Bool {
      RefusedToken.token(Secret(name)).isMeant(saved, requested: instant(100), now: instant(100))
    }
    #expect(isMeant("token") && !isMeant("token ") && !isMeant(""))
    #expect("\(RefusedToken.token(Secret("token")))".contains("token") == false)
  }
}
