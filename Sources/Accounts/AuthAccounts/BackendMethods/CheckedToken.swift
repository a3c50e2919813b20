package import AuthCore

/// The token of a leased session, for operations that need this key.
///
/// Only a lease makes one, after it checked that the keys are of its session. So an operation that
/// is asked without its key does not compile.
package struct CheckedToken<Key>: Sendable {
  fileprivate let token: SessionToken
}

extension SessionLease {
  /// The token for an operation that needs no other key.
  package func token() -> CheckedToken<ActiveSession> { CheckedToken(token: sessionToken) }

  /// The token for an operation that needs this key.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`session_mismatch`) for a key of another
  ///   session.
  package func token(with key: FreshSession) throws(BackendError) -> CheckedToken<FreshSession> {
    try checked(key.session)
  }

  /// The token for an operation that needs this key; see ``token(with:)``.
  package func token(with key: AdminSession) throws(BackendError) -> CheckedToken<AdminSession> {
    try checked(key.session)
  }

  /// The token for an operation that needs both keys; see ``token(with:)``.
  package func token(
    with administrator: AdminSession, _ fresh: FreshSession
  ) throws(BackendError) -> CheckedToken<FreshAdminSession> {
    try checked(administrator.session, fresh.session)
  }

  private func checked<Key>(_ keys: LoggedInSession...) throws(BackendError) -> CheckedToken<Key> {
    for key in keys where key.id != sessionID { throw .refused(.sessionMismatch) }
    return CheckedToken(token: sessionToken)
  }
}

extension Backend {
  /// Performs an operation without a session on its inputs.
  package func ask<each Part: Sendable, Output>(
    _ operation: BackendOperation<(repeat each Part), Output, NoSession>, _ part: repeat each Part
  ) throws(BackendError) -> Output { try perform(operation, on: (repeat each part)) }

  /// Performs an operation of a leased session, whose inputs `input` puts together with the token.
  package func ask<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, _ token: CheckedToken<Key>, _ input: (SessionToken) -> Input
  ) throws(BackendError) -> Output { try perform(operation, on: input(token.token)) }
}
