/// The access token of a session, lent for a request.
///
/// Only ``LoggedInSession/withAccess(within:_:)`` and ``SessionLease/withAccess(within:_:)`` lend
/// one, and a closure that borrows it cannot return, store or copy it. So a function that takes a
/// `borrowing LentAccessToken` runs only under a lease.
///
/// The text is an ordinary string, because a request must send it. The compiler cannot keep it
/// inside the closure: do not return, store or log it.
public struct LentAccessToken: ~Copyable, Sendable {
  /// The token itself.
  public let value: String
  /// The value of the header `Authorization` (RFC 6750, section 2.1).
  public var header: String { "Bearer \(value)" }
}

/// The error that a request throws when a server refuses its access token, such as with status 401.
///
/// `withAccess` then runs the request once more, with a new token.
public struct AccessTokenRefused: Error, Hashable, Sendable {
  /// Creates the error.
  public init() {}
}

/// Why work with an access token did not finish.
///
/// Frozen: a later version adds no case.
public enum AccessError<Body: Error>: Error {
  /// There is no valid access token: the session has ended, or could not be renewed. The work did
  /// not start, or a server refused its token.
  case session(SessionError)
  /// The work itself failed; with ``AccessTokenRefused`` when the server also refused a new token.
  case body(Body)
}

extension AccessError: Equatable where Body: Equatable {}
