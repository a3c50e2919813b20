public import AuthCore
import ConcurrencyKit
import Guards
import TextFormat

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
  /// The secret of PKCE (RFC 7636); some servers require it also here.
  fileprivate let verifier: String
  fileprivate let poll: DevicePoll

  /// Waits until the user allows or refuses the login, or the code expires.
  ///
  /// It polls the server as often as the server permits, and less often if the server asks for that
  /// or does not answer (section 3.5). Simultaneous calls share one poll, which stops when the last
  /// of them is cancelled. A code works once: a further call returns the same credentials, and
  /// sends nothing.
  ///
  /// - Returns: Credentials for one login or reauthentication of the store.
  /// - Throws: `rejected` with ``OAuthRejection/denied`` or ``OAuthRejection/expired``; otherwise
  ///   `unavailable`, also if the task is cancelled.
  public func credentials() async throws(OAuthError) -> Credentials {
    if let known = poll.state.withLock(\.credentials) { return known }
    let answer = poll.join {
      do throws(OAuthError) { return .success(try await pollUntilAnswered()) } catch { return .failure(error) }
    }
    defer { poll.leave(answer) }
    guard let result = await answer.value() else { throw .loginCancelled }
    return try result.get()
  }

  private func pollUntilAnswered() async throws(OAuthError) -> Credentials {
    while true {
      if let credentials = poll.state.withLock(\.credentials) { return credentials }
      let wait = try nextWait()
      do throws(CancellationError) { try await authority.clock.sleep(for: wait) } catch { throw .loginCancelled }
      if let credentials = try await ask() { return credentials }
    }
  }

  // MARK: The requests of `credentials()`, for a program that waits by itself

  /// How long the code is valid.
  package func timeLeft() throws(OAuthError) -> Duration {
    deadline.timeLeft(at: try authority.now()) ?? .zero
  }

  /// How long to wait from now to the next request; throws if the code expires before.
  package func nextWait() throws(OAuthError) -> Duration {
    let left = try timeLeft()
    let (interval, wait) = poll.state.withLock { ($0.interval, $0.wait) }
    guard left > interval else { throw .rejected(.expired) }
    // After failures it waits longer than the server demands, but retries before the code expires.
    return max(interval, min(wait, left - .seconds(1)))
  }

  /// Asks once.
  ///
  /// - Returns: Credentials; nil if the user has not answered, the server cannot say, or another
  ///   caller asks at this moment.
  package func ask() async throws(OAuthError) -> Credentials? {
    let outcome = try await poll.gate.withPassage { () async throws(OAuthError) -> Credentials? in
      if let known = poll.state.withLock(\.credentials) { return known }
      let credentials = try await request()
      poll.state.withLock { $0.credentials = credentials }
      return credentials
    }
    return switch outcome {
    case .passed(let credentials): credentials
    case .refused: nil
    }
  }

  private func request() async throws(OAuthError) -> Credentials? {
    let form = [
      "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": deviceCode,
      "code_verifier": verifier,
    ]
    let last = poll.state.withLock { state in
      defer { state.wait = state.interval }
      return state.wait
    }
    let requested = try authority.now()
    let claims: OAuthClaims
    do throws(OAuthError) { claims = try await authority.post(form, to: .token) } catch {
      switch error {
      case _ where error.isRefused("authorization_pending"): break
      case _ where error.isRefused("slow_down"):
        poll.state.withLock { state in
          state.interval += .seconds(5)
          state.wait = state.interval
        }
      case _ where error.isRefused("expired_token", "invalid_grant"): throw .rejected(.expired)
      case _ where error.isRefused("access_denied"): throw .rejected(.denied)
      case .throttled(.wait(let time)): poll.state.withLock { $0.wait = max($0.interval, time) }
      // The server cannot say now, or a proxy answered in its place with a page.
      case _ where error.isRefused("temporarily_unavailable", "server_error"):
        poll.state.withLock { $0.wait = last * 2 }
      case .unavailable(let cause)
      where [.unreachable, .busy].contains(cause.cause) || cause.code == "oauth_unparsable":
        poll.state.withLock { $0.wait = last * 2 }
      case .rejected, .throttled, .unavailable: throw error
      }
      return nil
    }
    // The session begins with these tokens: an exchange now could lose them.
    let tokens = try authority.tokens(claims, replacing: nil, requested: requested)
    return authority.credentials(for: OAuthAuthority.Login(form: form, tokens: tokens))
  }
}

extension OAuthError {
  static let loginCancelled = OAuthError.unavailable(
    Unavailability(.cancelled, "The login was cancelled."))
}

/// What all copies of an authorization share: the pace of the requests, their answer, and how many
/// callers wait for it.
private final class DevicePoll: Sendable {
  typealias Answer = Result<Credentials, OAuthError>

  struct State {
    var interval: Duration
    var wait: Duration
    var credentials: Credentials?
    var work: (answer: Promise<Answer>, callers: Int, task: Task<Void, Never>)?
  }

  /// Lets one request through at a time, so that none sends a code that was already accepted.
  let gate = Gatekeeper<Bool>()
  let state: Locked<State>

  init(interval: Duration) { state = Locked(State(interval: interval, wait: interval)) }

  /// Waits for `poll`, together with other callers; the first one starts it, also after one has
  /// ended.
  func join(_ poll: @escaping @Sendable () async -> Answer) -> Promise<Answer> {
    state.withLock { state in
      if let work = state.work, work.answer.kept == nil {
        state.work?.callers += 1
        return work.answer
      }
      let answer = Promise<Answer>()
      state.work = (answer, 1, Task { answer.fulfil(await poll()) })
      return answer
    }
  }

  /// Ends the wait of a caller; the last one cancels the poll.
  func leave(_ answer: Promise<Answer>) {
    state.withLock { state in
      guard state.work?.answer === answer else { return nil as Task<Void, Never>? }
      state.work?.callers -= 1
      guard let work = state.work, work.callers == 0 else { return nil }
      state.work = nil
      return work.task
    }?.cancel()
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
    let verifier = Self.randomText()
    let own = [
      "scope": scope, "code_challenge": Base64URL.text(SHA256.hash(Array(verifier.utf8))),
      "code_challenge_method": "S256",
    ]
    let answer = try await post((parameters as [String: String?]).merging(own) { $1 }, to: .deviceAuthorization)
    guard let userCode = answer["user_code"], let deviceCode = answer["device_code"],
      // Google uses the name of a draft.
      let address = answer["verification_uri"] ?? answer["verification_url"],
      // An hour is more than any server gives.
      let lifetime = answer.seconds("expires_in", in: 0...3600),
      // All of it is shown, perhaps on a terminal.
      !userCode.isEmpty, userCode.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), address.isSafeURL
    else { throw .unusable() }
    return DeviceAuthorization(
      userCode: userCode, verificationURI: address,
      completeVerificationURI: answer["verification_uri_complete"].flatMap { $0.isSafeURL ? $0 : nil },
      deadline: .at(now.advanced(by: lifetime)), authority: self, deviceCode: deviceCode, verifier: verifier,
      poll: DevicePoll(interval: answer.seconds("interval", in: 1...300) ?? .seconds(5)))
  }
}
