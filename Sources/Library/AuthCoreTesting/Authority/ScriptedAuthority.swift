public import AuthCore
import ConcurrencyKit

/// An authority in memory with real sessions; a test can hold, fail or script its calls.
///
/// By default it behaves as an authority must: it passes ``AuthorityContract``.
/// ``hold(_:at:calls:)`` stops the calls of an operation until the test releases them, so that the
/// test decides the order of events.
public final class ScriptedAuthority: HeldCalls {
  /// The operations of an authority.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// `authenticate(_:limits:)`
    case authenticate
    /// `resume(_:)`
    case resume
    /// `renew(_:)`
    case renew
    /// `reauthenticate(_:with:limits:)`
    case reauthenticate
    /// `answer(_:with:)`
    case answer
    /// `confirm(_:)`
    case confirm
    /// `revoke(_:reason:)`
    case revoke
  }

  /// A failure that says nothing about the session: `unavailable` or `throttled`.
  public typealias Fault = AuthorityError<Never>

  struct Storage {
    var sessions: ScriptedSessions
    /// The failure of an operation, and the number of calls that it fails.
    var faults: [Operation: (fault: Fault, calls: Int)] = [:]
    var answers = ScriptedAnswers()

    mutating func takeFault(of operation: Operation) -> Fault? {
      guard let (fault, calls) = faults[operation], calls > 0 else { return nil }
      faults[operation] = (fault, calls - 1)
      return fault
    }
  }

  let storage: Locked<Storage>
  /// Logs the calls and stops those that a test holds.
  public let turnstile = Turnstile<Operation>()
  let clock: any SessionClock
  /// The start of its tokens.
  let name: String

  /// Creates an authority without accounts.
  ///
  /// - Parameters:
  ///   - clock: The clock for its limits.
  ///   - name: The server that it stands for: its tokens are not those of an authority with another
  ///     name; see `notHere(_:)` of `Authority`.
  ///   - idle: The time that a session lasts without activity.
  ///   - absolute: The time that a session lasts.
  ///   - fresh: The time for which a password counts as recently entered.
  public init(
    clock: any SessionClock, name: String = "", idle: Duration = .seconds(1800), absolute: Duration = .seconds(28_800),
    fresh: Duration = .seconds(900)
  ) {
    self.clock = clock
    self.name = name
    storage = Locked(Storage(sessions: ScriptedSessions(name: name, idle: idle, absolute: absolute, fresh: fresh)))
  }

  // MARK: Accounts and sessions

  /// Adds an account, or changes one.
  ///
  /// - Parameters:
  ///   - username: The name to log in with; it also identifies the account.
  ///   - password: The accepted password.
  ///   - displayName: The name that screens show; nil means the username.
  ///   - role: The user's role.
  ///   - isDisabled: True ends the sessions of the account, and refuses its password.
  public func setAccount(
    _ username: String, password: Secret, displayName: String? = nil, role: Role = .member, isDisabled: Bool = false
  ) {
    let user = User(
      id: UserID(rawValue: "id-\(username)"), username: username, displayName: displayName ?? username, role: role)
    setAccount(user, password: password, isDisabled: isDisabled)
  }

  /// Adds an account for a user, or changes the one with the same username.
  public func setAccount(_ user: User, password: Secret, isDisabled: Bool = false) {
    storage.withLock {
      $0.sessions.set(ScriptedSessions.Account(user: user, password: password, isDisabled: isDisabled))
    }
  }

  /// Sets whether an account requires a second step after the correct password; nil switches it
  /// off.
  ///
  /// - Parameters:
  ///   - username: The account.
  ///   - code: The accepted answer, or nil.
  ///   - tries: The number of answers that one challenge accepts.
  ///   - time: The time that a challenge lasts.
  public func setSecondStep(
    of username: String, to code: Secret?, tries: Int = 3, time: Duration = .seconds(300)
  ) {
    storage.withLock {
      $0.sessions.steps[username] = code.map { ScriptedSessions.Step(code: $0, tries: tries, time: time) }
    }
  }

  /// The tokens of the challenges to which the authority still accepts an answer, apart from their
  /// deadlines.
  public var openChallenges: Set<SessionToken> {
    storage.withLock { Set($0.sessions.challenges.keys) }
  }

  /// Sets whether renewals exchange the token.
  public func setRotation(_ rotates: Bool) {
    storage.withLock { $0.sessions.rotates = rotates }
  }

  /// Sets how the authority exchanges tokens.
  ///
  /// With ``AuthCore/TokenExchange/spendsOld``, each renewal and reauthentication spends the old
  /// token; if a spent token is used for one of them, the session ends, and its revocation does
  /// nothing.
  public func setExchange(_ exchange: TokenExchange) {
    storage.withLock { $0.sessions.exchange = exchange }
  }

  /// Sets how long access tokens last, which each login and renewal grants from now on; nil
  /// switches them off.
  public func setAccessTokens(lasting lifetime: Duration?) {
    storage.withLock { $0.sessions.accessLifetime = lifetime }
  }

  /// Whether a server that trusts this authority accepts an access token; false if the clock cannot
  /// be read.
  public func accepts(accessToken: String) -> Bool {
    guard let now = try? clock.now() else { return false }
    return storage.withLock { $0.sessions.accepts(accessToken, at: now) }
  }

  /// Makes servers refuse all access tokens that were granted so far, as a change of their keys
  /// does.
  public func refuseAccessTokens() {
    storage.withLock { $0.sessions.accessTokens = [:] }
  }

  /// Sets the limits in every grant; nil means the real ones.
  ///
  /// The sessions themselves keep the real ones.
  public func setGrantedLimits(_ limits: SessionLimits?) {
    storage.withLock { $0.sessions.scriptedLimits = limits }
  }

  /// Ends a session, as the authority would.
  public func end(_ token: SessionToken, _ reason: EndReason) {
    storage.withLock { $0.sessions.end(token, reason) }
  }

  /// The tokens that the authority accepts now, apart from limits.
  public var liveTokens: Set<SessionToken> {
    storage.withLock { storage in Set(storage.sessions.sessions.filter { $0.value.end == nil }.keys) }
  }

  /// Makes an operation fail from now on; with nil it works again.
  ///
  /// - Parameters:
  ///   - operation: The operation to fail.
  ///   - fault: The failure, or nil.
  ///   - calls: The number of calls to fail; later calls work.
  public func fail(_ operation: Operation, with fault: Fault?, calls: Int = .max) {
    storage.withLock { $0.faults[operation] = fault.map { ($0, calls) } }
  }
}
