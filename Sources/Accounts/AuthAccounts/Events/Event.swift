package import AuthCore

/// An event in the log of the database.
package struct Event: Hashable, Sendable {
  /// Its place in the order of events; numbers grow.
  package let id: Int64
  /// The time, by the wall clock of that moment.
  package let at: WallTime
  /// The name, in the OWASP vocabulary; it may come from a newer version.
  package let name: String
  /// The name of the account that it concerns; nil if there is none.
  package let account: String?
  /// The name of the user who caused it; nil without a login.
  package let actor: String?
  /// The session that it concerns, if any.
  package let session: SessionID?
  /// Details, such as a reason or a count.
  ///
  /// Never a secret. Escape its control characters before you print it.
  package let detail: String?

  /// The most bytes of a detail; the rest of a longer one is left out.
  package static let longestDetail = 256

  /// A description for people; the name if this version does not know the event.
  package var words: String { EventName(rawValue: name)?.words ?? name }

  /// How many events that concern no account are kept.
  package static let namelessLimit: Int64 = 10_000

  /// Creates a value, for a backend to answer with.
  package init(
    id: Int64, at: WallTime, name: String, account: String?, actor: String?, session: SessionID?, detail: String?
  ) {
    self.id = id
    self.at = at
    self.name = name
    self.account = account
    self.actor = actor
    self.session = session
    self.detail = detail
  }
}

/// Which events to read.
package enum EventScope: Hashable, Sendable {
  /// Those that concern the session's own account.
  case own
  /// All; for an administrator.
  case everyone
}
