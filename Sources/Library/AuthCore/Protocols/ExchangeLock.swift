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
