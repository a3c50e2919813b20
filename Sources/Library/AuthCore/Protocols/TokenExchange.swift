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
