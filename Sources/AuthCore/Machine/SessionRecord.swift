/// A session as the machine knows it, from its beginning to its end.
///
/// It is the one value that all states of an active session carry, so whatever has to survive a
/// renewal is here. A record is not a key and gives no access; only the store makes keys, from the
/// record that its machine holds.
package struct SessionRecord: Hashable, Sendable {
  /// The epoch of the login or the restore that began the session in this process.
  package let began: Epoch
  /// The authority's latest grant.
  package private(set) var grant: Grant

  /// Creates a record of a session that begins.
  package init(_ grant: Grant, began: Epoch) {
    self.began = began
    self.grant = grant
  }

  /// The same session with a newer grant.
  package func continued(by grant: Grant) -> SessionRecord {
    var next = self
    next.grant = grant
    return next
  }
}

extension SessionRecord: Redacted {
  /// The user and the epoch; never the token.
  package var description: String { "SessionRecord(\(grant.user.username), began \(began))" }
}
