package import AuthAccounts

extension SearchStop: RowDecodable {
  package init(_ row: Row) throws(BackendError) { self.init(before: try row[0], at: try row[1]) }
}

/// The limits of a page as the values of its SQL statements: an open limit is the extreme number.
extension Page {
  var end: Int64 { before ?? .max }
  var since: Int64 { times.since?.microseconds ?? .min }
  var until: Int64 { times.until?.microseconds ?? .max }
  var pattern: SQLValue { .pattern(containing: text) }
  var rows: Int { max(0, limit) }
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
