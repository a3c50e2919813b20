/// How an authority exchanges the token of a session for a new one.
public enum TokenExchange: Hashable, Sendable {
  /// The old token works until the new one is confirmed or used.
  case untilConfirmed
  /// The use of the old token spends it, as at most servers of OAuth 2.0.
  ///
  /// If an old token comes back, such a server may end the session. So the store exchanges a token
  /// only under a claim; see ``SessionVault/claim(_:wait:)``.
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

  /// Creates details.
  public init(session: SessionID? = nil, user: LastKnownUser? = nil, accessToken: AccessToken? = nil) {
    self.session = session
    self.user = user
    self.accessToken = accessToken
  }
}

/// The answer of a vault to a claim.
public enum Claimed: Sendable {
  /// The caller alone may use the token until it settles the claim.
  case mine(any ExchangeClaim)
  /// The vault no longer holds the token: read it again.
  case changed
  /// Another process did not settle its claim in time; the error names it. Do not use the token.
  case busy(VaultError)
  /// The authority refused the token to an earlier claim, and this is why.
  case refused(EndReason)
  /// The claim that this call waited for ended without an answer. Do not repeat it now.
  case failed(Unavailability)
}

/// The sole right to exchange a token.
public protocol ExchangeClaim: Sendable {
  /// The exchange that an earlier claim began and never settled; nil if there was none.
  ///
  /// Its token may be spent.
  var interrupted: InterruptedExchange? { get }

  /// Notes that an exchange begins, and reserves the room to save its result.
  ///
  /// - Returns: Where the request is recorded; nil if this vault records none.
  /// - Throws: `VaultError` if the result could not be saved: then do not use the token.
  func begin() async throws(VaultError) -> ExchangeRecorder?

  /// Ends the claim; call it once.
  ///
  /// - Returns: False if the vault no longer holds the claimed token, because a logout erased it or
  ///   a login replaced it: then a new token was not saved.
  /// - Throws: `VaultError` if a new token could not be saved. A recorded answer stays for the next
  ///   claim.
  func settle(_ end: ExchangeEnd) async throws(VaultError) -> Bool
}

/// An exchange that began and was never settled.
public struct InterruptedExchange: Hashable, Sendable, Redacted {
  /// When its request began; the lifetimes in its answer count from then.
  public let began: BootInstant
  /// The recorded answer, which may be incomplete; nil if there is none.
  public let answer: [UInt8]?

  /// Creates a description of an interrupted exchange.
  public init(began: BootInstant, answer: [UInt8]? = nil) {
    self.began = began
    self.answer = answer
  }
}

/// The end of an exchange under a claim.
public enum ExchangeEnd: Hashable, Sendable {
  /// The authority granted this token: save it in place of the claimed one.
  case replaced(by: SessionToken, TokenDetails)
  /// The authority did not use the claimed token.
  case unsent
  /// There was no usable answer: the claimed token may be spent.
  case unknown(Unavailability)
  /// The authority refused the claimed token, and this is why the session has ended.
  case refused(EndReason)
}

/// The note of an exchange, from which a vault decides about the next claim.
package struct ExchangeNote: Hashable, Sendable {
  /// What is known of the exchange.
  package enum State: Hashable, Sendable {
    /// It began.
    case begun
    /// It ended without a usable answer, at this time.
    case failed(Unavailability.Cause, at: BootInstant)
    /// The token was refused.
    case refused(EndReason)
  }

  /// Identifies the token.
  package let mark: [UInt8]
  /// When the last request began.
  package let began: BootInstant
  package var state: State

  package init(mark: [UInt8], began: BootInstant, state: State = .begun) {
    self.mark = mark
    self.began = began
    self.state = state
  }

  /// The decision about a claim.
  package enum Decision: Hashable, Sendable {
    /// The caller may exchange the token. The last exchange began then and was never settled.
    case mine(interrupted: BootInstant?)
    case changed
    case refused(EndReason)
    case failed(Unavailability)
  }

  /// Decides about the claim of the token with this mark, by a caller that now holds the lock.
  ///
  /// - Parameters:
  ///   - mark: Identifies the claimed token.
  ///   - saved: Identifies the token in the vault; nil if there is none.
  ///   - note: The note that the vault has.
  ///   - waiting: When the caller began to wait for another one; nil if it did not wait.
  /// - Returns: What the caller may do.
  package static func decide(
    _ mark: [UInt8], saved: [UInt8]?, note: ExchangeNote?, waiting: BootInstant?
  ) -> Decision {
    guard saved == mark else { return .changed }
    guard let note, note.mark == mark else { return .mine(interrupted: nil) }
    switch note.state {
    case .begun: return .mine(interrupted: note.began)
    case .failed(let cause, let end):
      guard let waiting, end.boot == waiting.boot, end.uptime >= waiting.uptime else {
        return .mine(interrupted: note.began)
      }
      return .failed(Unavailability(cause, "Another process got no answer from the authority just now."))
    case .refused(let reason): return .refused(reason)
    }
  }

  /// The note after a claim of this note's token ends without a new token; nil for no note.
  ///
  /// - Parameters:
  ///   - end: How the claim ended.
  ///   - interrupted: Whether an earlier exchange of the token was interrupted.
  ///   - now: The current instant.
  /// - Returns: The note to write.
  package func ended(_ end: ExchangeEnd, interrupted: Bool, at now: BootInstant) -> ExchangeNote? {
    var note = self
    switch end {
    case .replaced: return nil
    case .unsent: return interrupted ? note : nil
    case .unknown(let cause): note.state = .failed(cause.cause, at: now)
    case .refused(let reason): note.state = .refused(reason)
    }
    return note
  }
}

extension ExchangeEnd {
  /// The end of an exchange, from the answer of the authority.
  package init(_ answer: Result<Grant, AuthorityError<SessionRejection>>, interrupted: Bool) {
    self =
      switch answer {
      case .success(let grant): .replaced(by: grant.token, TokenDetails(grant))
      case .failure(.rejected(.ended(let reason))): .refused(interrupted && reason == .revoked ? .interrupted : reason)
      case .failure(.rejected(.superseded)), .failure(.throttled): .unsent
      case .failure(.unavailable(let cause)): .unknown(cause)
      }
  }
}

extension TokenDetails {
  package init(_ grant: Grant) {
    self.init(session: grant.id, user: LastKnownUser(grant.user), accessToken: grant.accessToken)
  }
}
