public import AuthCore
import Guards

/// A login on another device (RFC 8628), for a terminal or a television.
///
/// Show ``userCode`` and ``verificationURI``, then await ``credentials()``.
public struct DeviceAuthorization: Sendable, Redacted {
  /// What the user enters there.
  public let userCode: String
  /// Where the user enters it.
  public let verificationURI: String
  /// An address with the code in it, for a picture that a phone reads.
  public let completeVerificationURI: String?
  /// When the code ends.
  public let deadline: BootInstant
  private let authority: OAuthAuthority
  private let deviceCode: String
  private let interval: Duration

  init?(_ answer: OAuthClaims?, _ authority: OAuthAuthority, at now: BootInstant) {
    guard let answer, let userCode = answer["user_code"], let deviceCode = answer["device_code"],
      let address = answer["verification_uri"],
      // An hour is more than any server gives.
      let lifetime = answer["expires_in"].flatMap({ Duration(seconds: $0, in: 0...3600) }),
      // All of it is shown, perhaps on a terminal.
      !userCode.isEmpty, userCode.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), SafeURL.accepts(address),
      answer["verification_uri_complete"].map(SafeURL.accepts) != false
    else { return nil }
    self.userCode = userCode
    self.deviceCode = deviceCode
    self.authority = authority
    verificationURI = address
    completeVerificationURI = answer["verification_uri_complete"]
    deadline = now.advanced(by: lifetime)
    interval = answer["interval"].flatMap { Duration(seconds: $0, in: 1...300) } ?? .seconds(5)
  }

  /// Waits until the user has allowed or refused the login, or the code expires.
  ///
  /// It asks the server as often as the server permits, and less often when asked to slow down or
  /// when no answer comes (section 3.5).
  public func credentials() async throws(OAuthError) -> Credentials {
    let form = ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": deviceCode]
    var interval = interval
    while true {
      let next = try authority.now().advanced(by: interval)
      guard next.boot == deadline.boot, next.uptime < deadline.uptime else { throw .rejected(.expired) }
      do throws(CancellationError) { try await authority.clock.sleep(for: interval) } catch {
        throw .unavailable(Unavailability(.cancelled, "The login was cancelled."))
      }
      do throws(OAuthError) {
        guard let refresh = try await authority.token(form).refresh else { throw OAuthError.noRefreshToken }
        return authority.register(
          .token(Secret(refresh)),
          Login(isFresh: false, form: ["grant_type": "refresh_token", "refresh_token": refresh]))
      } catch {
        switch error {
        case .refused("authorization_pending"): break
        case .refused("slow_down"): interval += .seconds(5)
        case .refused("expired_token"): throw .rejected(.expired)
        case .refused("access_denied"): throw .rejected(.denied)
        case .throttled(.wait(let wait)): interval = max(interval, wait)
        case .unavailable(let cause) where [.unreachable, .busy].contains(cause.cause): interval *= 2
        case .rejected, .throttled, .unavailable: throw error
        }
      }
    }
  }
}
