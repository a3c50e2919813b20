public import AuthCore

/// A page of a list, newest first.
public struct Page: Hashable, Sendable {
  /// Only rows of this time; see ``TimeSpan``.
  public let times: TimeSpan
  /// Only rows that contain this text, ignoring case; all if it is empty.
  public let text: String
  /// Only rows before this number; nil begins with the newest.
  public var before: Int64?
  /// The most rows to return.
  public var limit: Int

  /// Creates a page, by default one of the newest rows.
  public init(within times: TimeSpan = .all, matching text: String = "", before: Int64? = nil, limit: Int = 50) {
    (self.times, self.text, self.before, self.limit) = (times, text, before, limit)
  }

  // What the statements of pages take.
  var end: Int64 { before ?? .max }
  var since: Int64 { times.since?.microseconds ?? .min }
  var until: Int64 { times.until?.microseconds ?? .max }
  var pattern: SQLValue { .pattern(containing: text) }
  var rows: Int { max(0, limit) }
}

/// A page of a user's sessions, newest first.
public struct SessionsPage: Hashable, Sendable {
  /// A session's place in the list, which it keeps for others when it has ended.
  public struct Place: Hashable, Sendable {
    /// When the session began.
    public let createdAt: WallTime
    /// The public name of the session.
    public let id: SessionID

    /// Creates the place of a session.
    public init(createdAt: WallTime, id: SessionID) {
      (self.createdAt, self.id) = (createdAt, id)
    }
  }

  /// Only sessions after this place; nil begins with the newest.
  public var after: Place?
  /// The most sessions to return.
  public var limit: Int

  /// Creates a page, by default one with all sessions.
  public init(after: Place? = nil, limit: Int = .max) {
    (self.after, self.limit) = (after, limit)
  }
}
