/// The machine's record of a session: the authority's grant, and the epoch in which the session
/// began.
///
/// It is an immutable class, so that states and effects stay a few words wide however long a name
/// is. A record is not a key and gives no access; only the store makes keys, from the record that
/// its machine holds.
@usableFromInline package final class SessionRecord: Hashable, Sendable {
  /// The authority's grant.
  package let grant: Grant
  /// The epoch of the login or the restore that began the session in this process; renewals keep
  /// it.
  package let began: Epoch

  /// Creates a record.
  package init(_ grant: Grant, began: Epoch) {
    self.grant = grant
    self.began = began
  }

  /// Two records are equal when their content is equal.
  @usableFromInline package static func == (first: SessionRecord, second: SessionRecord) -> Bool {
    first === second || (first.began == second.began && first.grant == second.grant)
  }

  /// Hashes what equality compares.
  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(grant)
    hasher.combine(began)
  }
}

extension SessionRecord: Redacted {
  /// The user and the epoch; never the token.
  @usableFromInline package var description: String { "SessionRecord(\(grant.user.username), began \(began))" }
}
