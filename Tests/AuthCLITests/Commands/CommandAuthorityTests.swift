import AuthCore
import Testing

@testable import AuthProgram

@Suite struct CommandAuthorityTests {
  /// An authority that asks for a second step, and for nothing but that.
  private struct Asking: Authority {
    let challenge = Challenge(
      token: SessionToken(bytes: [1]), question: .code(digits: 6), triesLeft: 2, deadline: .never)

    func authenticate(
      _ credentials: Credentials, limits: LimitRequest
    ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
      .challenged(challenge)
    }
    func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
      throw .rejected(.superseded)
    }
    func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
      throw .rejected(.superseded)
    }
    func reauthenticate(
      _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
    ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
      .challenged(challenge)
    }
    func answer(
      _ challenge: Challenge, with answer: Secret
    ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
      .challenged(challenge)
    }
    func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
      throw .rejected(.superseded)
    }
    func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {}
  }

  // The protocol has a default, which a type that wraps another authority must not fall back to.
  @Test("the authority of a command hands answers to a challenge on")
  func answers() async throws {
    let base = Asking()
    let authority: any Authority = CommandAuthority(base: base, onlyLooks: false)
    #expect(try await authority.answer(base.challenge, with: Secret("123456")) == .challenged(base.challenge))
  }
}
