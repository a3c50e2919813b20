public import AuthCore
import Guards

/// A short-lived token for requests to the server's resources (RFC 6750).
///
/// ``OAuthAuthority/withAccessToken(of:in:_:)`` lends it: a closure that borrows it cannot keep it.
public struct AccessToken: ~Copyable, Sendable {
  /// The token itself; do not store or log it.
  public let value: String
  /// The value of the header `Authorization`.
  public var header: String { "Bearer \(value)" }
}

/// The error that a request throws after status 401: it is tried once more with a new access token.
public struct AccessTokenRefused: ExplainedError, Hashable {
  /// Creates the error.
  public init() {}
  /// What happened.
  public var description: String { "The server did not accept the access token." }
  /// What to do about it.
  public var hint: String { "Check what the app asks the server for; log in again if this goes on." }
}

/// What an authority keeps of its sessions while the process runs.
struct Memory: Sendable {
  var access: [SessionID: Access] = [:]
  /// The newest refresh token by the one that the vault holds, until it holds the newer one.
  var newer: [String: String] = [:]
  /// The refresh tokens that are known to be spent, ended or refused.
  var ended: Set<String> = []
}

/// An access token, and until when it serves.
struct Access: Hashable, Sendable, Redacted {
  let value: String
  /// When to get another one, before this one ends; nil when the server does not say.
  let renewal: BootInstant?
  let end: BootInstant?

  init(_ answer: TokenAnswer, at now: BootInstant) {
    value = answer.access
    end = answer.lifetime.map(now.advanced(by:))
    renewal = answer.lifetime.map { now.advanced(by: $0 - min(.seconds(60), $0 / 4)) }
  }
}

extension OAuthAuthority {
  /// Runs `body` with a valid access token, under a lease: a logout waits for it.
  ///
  /// A token that ends soon is renewed first, by the store, so that the vault gets the new refresh
  /// token; there is one renewal for all callers. When `body` throws ``AccessTokenRefused``, it is
  /// run once more, with a new token.
  ///
  /// ```swift
  /// import AuthCore
  /// import AuthOAuth
  ///
  /// func load(
  ///   _ session: LoggedInSession, _ store: SessionStore, _ authority: OAuthAuthority,
  ///   get: (_ authorization: String) async throws -> (status: Int, body: [UInt8])
  /// ) async throws -> [UInt8] {
  ///   try await authority.withAccessToken(of: session, in: store) { token in
  ///     let (status, body) = try await get(token.header)
  ///     if status == 401 { throw AccessTokenRefused() }
  ///     return body
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: What `body` throws; `SessionError` when the session is over or cannot be renewed. More
  ///   renewals than `RenewalPolicy` allows are not made.
  public func withAccessToken<Value>(
    of session: LoggedInSession, in store: SessionStore, _ body: (borrowing AccessToken) async throws -> Value
  ) async throws -> Value {
    var refused: Access?
    while true {
      let access = try await access(of: session, in: store, insteadOf: refused)
      do throws(LeaseError<any Error>) {
        return try await session.withLease { (_) async throws(any Error) in
          try await body(AccessToken(value: access.value))
        }
      } catch {
        switch error {
        case .ended(let reason): throw SessionError.ended(reason)
        case .body(let error):
          guard error is AccessTokenRefused, refused == nil else { throw error }
          refused = access
        }
      }
    }
  }

  private func access(
    of session: LoggedInSession, in store: SessionStore, insteadOf refused: Access?
  ) async throws -> Access {
    if let reason = session.endReason { throw SessionError.ended(reason) }
    func usable(until limit: KeyPath<Access, BootInstant?>) throws -> Access? {
      let now = try clock.now()
      return memory.withLock { $0.access[session.id] }
        .flatMap { $0 != refused && $0[keyPath: limit].isAhead(of: now) ? $0 : nil }
    }
    if let access = try usable(until: \.renewal) { return access }
    var failure: (any Error)?
    // The store makes one renewal for all who ask during it, and saves the new refresh token.
    do throws(SessionError) { _ = try await store.renew() } catch { failure = error }
    // Whatever became of it: a token that is still good serves.
    if let access = try usable(until: \.end) { return access }
    throw failure
      ?? Unavailability(
        .busy, "There is no new access token yet.", hint: "Try again in a minute.", code: "oauth_renewed_recently")
  }
}

extension BootInstant? {
  fileprivate func isAhead(of now: BootInstant) -> Bool {
    self.map { $0.boot == now.boot && now.uptime < $0.uptime } ?? true
  }
}
