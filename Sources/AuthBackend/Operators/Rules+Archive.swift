import AuthCore

/// Events leave the database in two requests: they are read page by page and written to a file,
/// and then exactly those are deleted.
extension Rules {
  /// Events before a time, oldest first.
  ///
  /// - Parameters:
  ///   - time: Only those written before.
  ///   - number: Only those after this number; nil begins with the oldest.
  ///   - limit: How many at most.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``BackendError`` of kind `unavailable`.
  package func archivableEvents(
    before time: WallTime, after number: Int64?, limit: Int
  ) throws(BackendError) -> [Event] {
    try database.read { (db) throws(BackendError) in
      try db.all(EventSelection.archivable, number ?? -1, time, max(0, limit))
    }
  }

  /// Deletes the events that were archived, and logs that as an event.
  ///
  /// It is the only deletion that the trigger on events lets pass.
  ///
  /// - Parameters:
  ///   - time: The time before which they were read.
  ///   - number: The number of the last one.
  ///   - count: How many were read.
  /// - Throws: ``BackendError`` of kind `unavailable` (`events_changed`) when there are more or
  ///   fewer; then nothing is deleted.
  package func deleteArchivedEvents(
    before time: WallTime, through number: Int64, count: Int
  ) throws(BackendError) {
    try database.write(.everything) { (db) throws(BackendError) in
      // Its number is greater than those, so numbers go on growing when all others are deleted.
      try db.record(.administered, account: nil, detail: "\(count) events archived, before \(time.iso8601)")
      try db.run(EventQuery.allowArchiving, number)
      let deleted = try db.changes(of: EventQuery.deleteArchived, number, time)
      try db.run(EventQuery.allowArchiving, -1)
      guard deleted == count else { throw .unavailable(.eventsChanged, "\(count)", "\(deleted)") }
    }
  }
}
