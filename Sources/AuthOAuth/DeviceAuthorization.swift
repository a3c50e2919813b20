public import AuthCore
import Guards

/// A login on another device (RFC 8628), for a terminal or a television.
///
/// Show ``userCode`` and ``verificationURI``, then await ``credentials()``.
public struct DeviceAuthorization: Sendable, Redacted {
  /// The code that the user enters on the other device.
  public let userCode: String
  /// The address where the user enters the code.
  public let verificationURI: String
  /// An address that contains the code, such as for a QR code; nil if the server sends none.
  public let completeVerificationURI: String?
  /// When the code expires.
  public let deadline: Deadline
  fileprivate let authority: OAuthAuthority
  fileprivate let deviceCode: String
  fileprivate let interval: Duration
  fileprivate let answer = DeviceAnswer()

  /// Waits until the user allows or refuses the login, or the code expires.
  ///
  /// It polls the server as often as the server permits, and less often if the server asks for that
  /// or does not answer (section 3.5). A code works once: a further call returns the same
  /// credentials, and sends nothing.
  ///
  /// - Returns: Credentials for one login or reauthentication of the store.
  /// - Throws: `rejected` with ``OAuthRejection/denied`` or ``OAuthRejection/expired``; otherwise
  ///   `unavailable`, also if the task is cancelled.
  public func credentials() async throws(OAuthError) -> Credentials {
    var polling = polling
    while true {
      if let credentials = answer.credentials.withLock(\.self) { return credentials }
      let wait = try polling.nextWait()
      do throws(CancellationError) { try await authority.clock.sleep(for: wait) } catch {
        throw .unavailable(Unavailability(.cancelled, "The login was cancelled."))
      }
      if let credentials = try await polling.ask() { return credentials }
    }
  }

  /// The requests of ``credentials()``, for a program that waits by itself.
  package var polling: DevicePolling { DevicePolling(device: self, interval: interval, wait: interval) }
}

/// What all copies of an authorization share, so that none sends a code that was already accepted.
private final class DeviceAnswer: Sendable {
  let gate = Gatekeeper<Bool>()
  let credentials = Locked<Credentials?>(nil)
}

/// The requests with which a device asks for its tokens, one after the other.
package struct DevicePolling {
  fileprivate let device: DeviceAuthorization
  fileprivate var interval: Duration
  fileprivate var wait: Duration

  /// How long the code is valid.
  package func timeLeft() throws(OAuthError) -> Duration {
    device.deadline.timeLeft(at: try device.authority.now()) ?? .zero
  }

  /// How long to wait from now to the next request; throws if the code expires before.
  package func nextWait() throws(OAuthError) -> Duration {
    let left = try timeLeft()
    guard left > interval else { throw .rejected(.expired) }
    // After failures it waits longer than the server demands, but retries before the code expires.
    return max(interval, min(wait, left - .seconds(1)))
  }

  /// Asks once.
  ///
  /// - Returns: Credentials; nil if the user has not answered, the server cannot say, or another
  ///   caller asks at this moment.
  package mutating func ask() async throws(OAuthError) -> Credentials? {
    let outcome = try await device.answer.gate.withPassage { () async throws(OAuthError) -> Credentials? in
      if let known = device.answer.credentials.withLock(\.self) { return known }
      let credentials = try await request()
      device.answer.credentials.withLock { $0 = credentials }
      return credentials
    }
    return switch outcome {
    case .passed(let credentials): credentials
    case .refused: nil
    }
  }

  private mutating func request() async throws(OAuthError) -> Credentials? {
    let form = ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": device.deviceCode]
    let last = wait
    wait = interval
    do throws(OAuthError) {
      // The session begins with these tokens: an exchange now could lose them.
      return device.authority.credentials(for: (form, try await device.authority.tokens(form), false))
    } catch {
      switch error {
      case .refused("authorization_pending"): break
      case .refused("slow_down"):
        interval += .seconds(5)
        wait = interval
      case .refused("expired_token"): throw .rejected(.expired)
      case .refused("access_denied"): throw .rejected(.denied)
      case .throttled(.wait(let time)): wait = max(interval, time)
      case .unavailable(let cause) where [.unreachable, .busy].contains(cause.cause): wait = last * 2
      case .rejected, .throttled, .unavailable: throw error
      }
    }
    return nil
  }
}

extension OAuthAuthority {
  /// Begins a login on another device.
  ///
  /// - Parameter parameters: Further parameters of your server; they replace none of the standard
  ///   ones.
  /// - Returns: The code to show, and where to enter it.
  /// - Throws: `oauth_misconfigured` if the server has no secure address for devices; otherwise the
  ///   failure of the request.
  public func deviceAuthorization(
    parameters: [String: String] = [:]
  ) async throws(OAuthError) -> DeviceAuthorization {
    let now = try now()
    let answer = try await post(
      (parameters as [String: String?]).merging(["scope": scope]) { $1 }, to: .deviceAuthorization)
    guard let userCode = answer["user_code"], let deviceCode = answer["device_code"],
      let address = answer["verification_uri"],
      // An hour is more than any server gives.
      let lifetime = answer.seconds("expires_in", in: 0...3600),
      // All of it is shown, perhaps on a terminal.
      !userCode.isEmpty, userCode.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), address.isSafeURL,
      answer["verification_uri_complete"]?.isSafeURL != false
    else { throw .unusable() }
    return DeviceAuthorization(
      userCode: userCode, verificationURI: address, completeVerificationURI: answer["verification_uri_complete"],
      deadline: .at(now.advanced(by: lifetime)), authority: self, deviceCode: deviceCode,
      interval: answer.seconds("interval", in: 1...300) ?? .seconds(5))
  }
}
