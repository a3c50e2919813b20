/// The rows of a page, newest first, and how far back they were searched.
package struct Found<Row: Sendable>: Sendable, RandomAccessCollection {
  /// The rows that were found.
  package let rows: [Row]
  /// Where the search stopped before the page was full; nil if the page is full or the list ends.
  package let stop: SearchStop?

  /// Creates a value, for a backend to answer with.
  package init(_ rows: [Row], stop: SearchStop? = nil) {
    (self.rows, self.stop) = (rows, stop)
  }

  /// The position of the first row.
  package var startIndex: Int { 0 }
  /// The position after the last row.
  package var endIndex: Int { rows.count }
  /// The row at a position.
  package subscript(index: Int) -> Row { rows[index] }
}

extension Found: Equatable where Row: Equatable {}

/// The place in a list at which a search stopped, so that no search holds up others.
package struct SearchStop: Hashable, Sendable {
  /// The number before which to continue.
  package let before: Int64
  /// The time of the last row that was searched.
  package let at: WallTime

  /// Creates the place at which a search stopped.
  package init(before: Int64, at: WallTime) {
    (self.before, self.at) = (before, at)
  }
}

extension SearchStop: RowDecodable {
  package init(_ row: Row) throws(BackendError) { self.init(before: try row[0], at: try row[1]) }
}

extension Page {
  /// Whether rows may be left out, so that a page takes a search.
  var isRestricted: Bool { !text.isEmpty || times != .all }
}

extension Rules {
  /// Searches for the rows of a page, part by part, until the page is full, the list ends or the
  /// time is over.
  ///
  /// - Parameters:
  ///   - page: The page; one that no text and no time restricts is read directly.
  ///   - part: The last row of the part before a number, if there are more rows than one part has.
  ///   - rows: At most so many rows of the page between two numbers.
  /// - Returns: What was found.
  /// - Throws: What `part` and `rows` throw.
  func search<Row: Sendable>(
    _ page: Page, part: (_ end: Int64) throws(BackendError) -> SearchStop?,
    rows: (_ first: Int64, _ end: Int64, _ limit: Int) throws(BackendError) -> [Row]
  ) throws(BackendError) -> Found<Row> {
    guard page.isRestricted else { return Found(try rows(.min, page.end, page.rows)) }
    let deadline = ContinuousClock.now + searchTime
    var (found, end) = ([Row](), page.end)
    while true {
      let stop = try part(end)
      found += try rows(stop?.before ?? .min, end, page.rows - found.count)
      guard let stop, found.count < page.rows else { return Found(found) }
      guard ContinuousClock.now < deadline else { return Found(found, stop: stop) }
      end = stop.before
    }
  }

  /// The number of rows of a part of a search after the first one.
  static let part: Int64 = 999
}
