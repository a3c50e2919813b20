/// The machine's data about a session, from its beginning to its end.
///
/// All states of an active session carry this one value, so all data that must survive a renewal is
/// here. A record is not a key and gives no access; only the store creates keys, from the record in
/// its machine.
package struct SessionRecord: Hashable, Sendable {
  /// The epoch of the login or the restore that began the session in this process.
  package let began: Epoch
  /// The authority's latest grant.
  package private(set) var grant: Grant
  /// The newest access token; not every grant has one.
  package private(set) var accessToken: AccessToken?

  /// Creates the record of a new session.
  package init(_ grant: Grant, began: Epoch) {
    self.began = began
    self.grant = grant
    accessToken = grant.accessToken
  }

  /// The record of the same session with a newer grant.
  package func continued(by grant: Grant) -> SessionRecord {
    var next = self
    next.grant = grant
    next.accessToken = grant.accessToken ?? accessToken
    return next
  }
}

extension SessionRecord: Redacted {
  /// The user and the epoch; never the token.
  package var description: String { "SessionRecord(\(grant.user.username), began \(began))" }
}
