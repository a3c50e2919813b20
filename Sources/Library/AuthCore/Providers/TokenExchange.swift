/// How an authority exchanges the token of a session for a new one.
///
/// Frozen: a later version adds no case.
public enum TokenExchange: Hashable, Sendable {
  /// The old token works until the new one is confirmed or used.
  case untilConfirmed
  /// The use of the old token spends it, as at most servers of OAuth 2.0.
  ///
  /// If an old token comes back, such a server may end the session. So the store exchanges a token
  /// only under a lock; see ``SessionVault/lockExchange(of:wait:)``.
  case spendsOld
}

/// What a vault saves with a token.
public struct TokenDetails: Hashable, Sendable {
  /// The session of the token, if it is known.
  public let session: SessionID?
  /// The user, for display.
  public let user: LastKnownUser?
  /// The access token that was granted last, so that the next process lends it without a request.
  public let accessToken: AccessToken?

  /// Creates the details of a token; omit what is not known.
  public init(session: SessionID? = nil, user: LastKnownUser? = nil, accessToken: AccessToken? = nil) {
    self.session = session
    self.user = user
    self.accessToken = accessToken
  }
}

extension TokenDetails {
  /// The details in a form for storage, which ``init(bytes:)`` reads.
  ///
  /// They contain the access token: store them where the token of the session is, and nowhere else.
  public var bytes: [UInt8] {
    var fields: [[UInt8]] = [session?.rawValue, user?.username, user?.displayName, accessToken?.value].map {
      $0.map { [1] + $0.utf8 } ?? []
    }
    switch accessToken?.deadline {
    case .at(let end)?:
      let (seconds, rest) = end.uptime.components
      fields.append(
        [end.boot.high, end.boot.low, UInt64(bitPattern: seconds), UInt64(bitPattern: rest)].flatMap(Self.bytes))
    case .never?: fields.append([1])
    case .unknown?, nil: fields.append([])
    }
    return fields.flatMap { Self.bytes(UInt64($0.count)) + $0 }
  }

  /// Reads details that ``bytes`` returned.
  ///
  /// - Returns: Nil if the bytes are not such details.
  public init?(bytes: [UInt8]) {
    var rest = bytes[...]
    func field() -> ArraySlice<UInt8>? {
      guard rest.count >= 8 else { return nil }
      let count = Self.number(rest.prefix(8))
      rest = rest.dropFirst(8)
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(Int(count)) }
      return rest.prefix(Int(count))
    }
    let fields = (0..<5).compactMap { _ in field() }
    guard fields.count == 5, rest.isEmpty else { return nil }
    let texts = fields.prefix(4).map { $0.isEmpty ? nil : String(decoding: $0.dropFirst(), as: UTF8.self) }
    let deadline: Deadline
    switch fields[4].count {
    case 0: deadline = .unknown
    case 1: deadline = .never
    case 32:
      let words = (0..<4).map { Self.number(fields[4].dropFirst(8 * $0).prefix(8)) }
      let uptime = Duration(
        secondsComponent: Int64(bitPattern: words[2]), attosecondsComponent: Int64(bitPattern: words[3]))
      deadline = .at(BootInstant(boot: BootID(high: words[0], low: words[1]), uptime: uptime))
    case _: return nil
    }
    var user: LastKnownUser?
    if let username = texts[1], let displayName = texts[2] {
      user = LastKnownUser(username: username, displayName: displayName)
    }
    self.init(
      session: texts[0].map(SessionID.init), user: user,
      accessToken: texts[3].map { AccessToken($0, deadline: deadline) })
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The result of locking the exchange of a token.
///
/// Frozen: a later version adds no case.
public enum ExchangeLockResult: Sendable {
  /// The caller alone may use the token until it releases the lock.
  case acquired(any ExchangeLock)
  /// The vault no longer holds the token: read it again.
  case changed
  /// Another process did not release its lock in time; the error names it. Do not use the token.
  case busy(VaultError)
  /// The authority refused the token to an earlier holder, and this is why.
  case refused(EndReason)
  /// The holder that this call waited for got no answer. Do not repeat it now.
  case failed(Unavailability)
}

/// The lock under which a token is exchanged, which gives the sole right to do so.
public protocol ExchangeLock: Sendable {
  /// The exchange that an earlier holder began and never finished; nil if there was none.
  ///
  /// Its token may be spent.
  var interrupted: InterruptedExchange? { get }

  /// Notes that an exchange begins, and reserves the room to save its result.
  ///
  /// - Returns: Where the request is recorded; nil if this vault records none.
  /// - Throws: `VaultError` if the result could not be saved: then do not use the token.
  func begin() async throws(VaultError) -> ExchangeRecorder?

  /// Ends the lock; call it once.
  ///
  /// - Returns: False if the vault no longer holds the locked token, because a logout erased it or
  ///   a login replaced it: then a new token was not saved.
  /// - Throws: `VaultError` if a new token could not be saved. A recorded answer stays for the next
  ///   holder.
  func release(_ end: ExchangeEnd) async throws(VaultError) -> Bool
}

/// An exchange that began and was never finished.
public struct InterruptedExchange: Hashable, Sendable, Redacted {
  /// When its request began; the lifetimes in its answer count from then.
  public let began: BootInstant
  /// The recorded answer, which may be incomplete; nil if there is none.
  public let answer: [UInt8]?
  /// Why the last exchange ended without an answer about the token; nil if its end is not known.
  public let failure: Unavailability.Cause?

  /// Creates a description of an interrupted exchange.
  public init(began: BootInstant, answer: [UInt8]? = nil, failure: Unavailability.Cause? = nil) {
    self.began = began
    self.answer = answer
    self.failure = failure
  }
}

/// The end of an exchange under a lock.
///
/// Frozen: a later version adds no case.
public enum ExchangeEnd: Hashable, Sendable {
  /// The authority granted this token: save it in place of the locked one.
  case replaced(by: SessionToken, TokenDetails)
  /// The authority did not use the locked token.
  case unsent
  /// There was no usable answer: the locked token may be spent, unless nothing was sent. If the
  /// request is under way, its program keeps the lock, and the note of the exchange stays.
  case unknown(Unavailability)
  /// The authority refused the locked token, and this is why the session has ended.
  case refused(EndReason)
}

extension InterruptedExchange {
  /// Whether the authority refused an exchange of the token without a reason, at least a minute
  /// ago.
  package func wasRefused(before now: BootInstant) -> Bool {
    failure == .refused && (now.boot != began.boot || now.uptime - began.uptime >= .seconds(60))
  }
}

extension ExchangeEnd {
  /// Decides the end of an exchange, from the answer of the authority.
  package init(_ answer: Result<Grant, AuthorityError<SessionRejection>>, interrupted: BootInstant?) {
    self =
      switch answer {
      case .success(let grant): .replaced(by: grant.token, TokenDetails(grant))
      case .failure(.rejected(.ended(.revoked))) where interrupted != nil: .refused(.interrupted(began: interrupted))
      case .failure(.rejected(.ended(let reason))): .refused(reason)
      case .failure(.throttled(.wait(let time))):
        .unknown(Unavailability(.busy, "The authority asks to wait.", isUnsent: true, retryAfter: time))
      case .failure(.rejected(.superseded)), .failure(.throttled(.locked)): .unsent
      case .failure(.unavailable(let cause)): .unknown(cause)
      }
  }
}

extension TokenDetails {
  /// The details of the token of a grant.
  package init(_ grant: Grant) {
    self.init(session: grant.id, user: LastKnownUser(grant.user), accessToken: grant.accessToken)
  }
}
