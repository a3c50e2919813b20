/// The machine's record of a session: the authority's grant, and the epoch in which the session
/// began.
///
/// It is an immutable class, so that states and effects stay a few words wide however long a name
/// is. A record is not a key and gives no access; only the store makes keys, from the record that
/// its machine holds.
@usableFromInline package final class SessionRecord: Hashable, Sendable {
  /// What is compared and hashed: the compiler leaves out no field of a struct.
  private struct Content: Hashable {
    let began: Epoch
    let grant: Grant
  }

  private let content: Content

  /// The authority's grant.
  package var grant: Grant { content.grant }
  /// The epoch of the login or the restore that began the session in this process; renewals keep
  /// it.
  package var began: Epoch { content.began }

  /// Creates a record.
  package init(_ grant: Grant, began: Epoch) {
    content = Content(began: began, grant: grant)
  }

  /// Two records are equal when their content is equal.
  @usableFromInline package static func == (first: SessionRecord, second: SessionRecord) -> Bool {
    first === second || first.content == second.content
  }

  /// Hashes what equality compares.
  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(content)
  }
}

extension SessionRecord: Redacted {
  /// The user and the epoch; never the token.
  @usableFromInline package var description: String { "SessionRecord(\(grant.user.username), began \(began))" }
}
