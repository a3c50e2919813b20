/// The token of a session, lent for an effect.
///
/// Only a ``SessionLease`` lends a token, and a closure that borrows it cannot return, store or
/// copy it. So a function that takes a `borrowing LentToken` runs only under a lease: a logout
/// waits for the function, or the function never starts.
///
/// ```swift
/// import AuthCore
///
/// func send(_ message: String, with token: borrowing LentToken) async throws {}
///
/// func send(_ message: String, in session: LoggedInSession) async throws {
///   try await session.withLease { (lease: borrowing SessionLease) in
///     try await send(message, with: lease.token)
///   }
/// }
/// ```
///
/// The bytes are an ordinary array, because a request must send them. The compiler cannot keep them
/// inside the closure: do not return, store or log them.
public struct LentToken: ~Copyable, Sendable {
  /// The secret bytes, for a request under the lease.
  public let bytes: [UInt8]
}
