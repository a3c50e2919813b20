package import AuthAccounts
import AuthCore

/// Events leave the database in two steps: they are read page by page and written to a file, and
/// then exactly those are deleted, in pieces.
extension Rules {
  /// Consecutive events, in the order of their numbers.
  package struct ArchivePage: Sendable {
    /// Those before the time, oldest first.
    package let events: [Event]
    /// The numbers that the page covers: those after the first one, up to the second one.
    package let (after, through): (Int64, Int64)
  }

  /// A page of events, of which some are before a time.
  ///
  /// Numbers and times grow together, except where a clock was set back, so the first page without
  /// any event before the time ends the archive.
  ///
  /// - Parameters:
  ///   - time: Only events written before.
  ///   - number: Only those after this number; nil begins with the oldest.
  ///   - limit: How many at most, those written later included.
  /// - Returns: The page; nil after the last.
  /// - Throws: ``BackendError`` of kind `unavailable`.
  package func archivePage(
    before time: WallTime, after number: Int64?, limit: Int = 1000
  ) throws(BackendError) -> ArchivePage? {
    let after = number ?? -1
    let rows: [Event] = try database.read { (db) throws(BackendError) in
      try db.all(EventSelection.archivable, after, limit)
    }
    let events = rows.filter { $0.at < time }
    guard let last = events.last else { return nil }
    return ArchivePage(events: events, after: after, through: last.id)
  }

  /// Logs that events are archived; its number is greater than theirs, so numbers go on growing
  /// when all others are deleted.
  package func noteArchive(of count: Int, before time: WallTime) throws(BackendError) {
    try database.write(.rows) { (db) throws(BackendError) in
      try db.record(.administered, account: nil, detail: "\(count) events archived, before \(time.iso8601)")
    }
  }

  /// Deletes the events of a page that were archived, and locks nothing that others need.
  ///
  /// It is the only deletion that the trigger on events lets pass.
  ///
  /// - Parameters:
  ///   - time: The time before which they were read.
  ///   - number: The number after which the page begins.
  ///   - last: The number of its last event.
  ///   - count: How many were read.
  /// - Throws: ``BackendError`` of kind `unavailable` (`events_changed`) when there are more or
  ///   fewer; then nothing of the page is deleted.
  package func deleteArchived(
    before time: WallTime, after number: Int64, through last: Int64, count: Int
  ) throws(BackendError) {
    try database.write(.rows) { (db) throws(BackendError) in
      try db.run(EventQuery.allowArchiving, last)
      let deleted = try db.changes(of: EventQuery.deleteArchived, number, last, time)
      try db.run(EventQuery.allowArchiving, -1)
      guard deleted == count else { throw .unavailable(.eventsChanged, "\(count)", "\(deleted)") }
    }
  }
}
