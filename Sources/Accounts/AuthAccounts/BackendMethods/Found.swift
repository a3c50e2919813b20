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
