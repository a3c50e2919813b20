package import AuthCore

/// A page of a list, newest first.
package struct Page: Hashable, Sendable {
  /// Only rows of this time; see ``TimeSpan``.
  package let times: TimeSpan
  /// Only rows that contain this text, ignoring case; all if it is empty.
  package let text: String
  /// Only rows before this number; nil begins with the newest.
  package var before: Int64?
  /// The most rows to return.
  package var limit: Int

  /// Creates a page, by default one of the newest rows.
  package init(within times: TimeSpan = .all, matching text: String = "", before: Int64? = nil, limit: Int = 50) {
    (self.times, self.text, self.before, self.limit) = (times, text, before, limit)
  }

  /// Whether rows may be left out, so that a page takes a search.
  package var isRestricted: Bool { !text.isEmpty || times != .all }
}

/// A page of a user's sessions, newest first.
package struct SessionsPage: Hashable, Sendable {
  /// The position of a session in the list, which stays valid after the session has ended.
  package struct Cursor: Hashable, Sendable {
    /// When the session began.
    package let createdAt: WallTime
    /// The public name of the session.
    package let id: SessionID

    /// Creates the position of a session.
    package init(createdAt: WallTime, id: SessionID) {
      (self.createdAt, self.id) = (createdAt, id)
    }
  }

  /// Only sessions after this position; nil begins with the newest.
  package var after: Cursor?
  /// The most sessions to return.
  package var limit: Int

  /// Creates a page, by default one with all sessions.
  package init(after: Cursor? = nil, limit: Int = .max) {
    (self.after, self.limit) = (after, limit)
  }
}
