// Lists cross the socket in pages that fit a frame: a client asks for one after the other, and the
// service gives no more at a time.

/// The rows that an operation answers.
protocol RowList: RandomAccessCollection {
  /// Whether the search for the rows stopped before there were enough.
  var isStopped: Bool { get }

  /// This list with one more page.
  func joined(with page: Self) -> Self
}

extension Array: RowList {
  var isStopped: Bool { false }
  func joined(with page: [Element]) -> [Element] { self + page }
}

extension Found: RowList {
  var isStopped: Bool { stop != nil }
  func joined(with page: Found<Row>) -> Found<Row> { Found(rows + page.rows, stop: page.stop) }
}

extension Page {
  /// Moves to the rows before those of a list, by their numbers.
  mutating func move<Row>(after list: Found<Row>, _ number: (Row) -> Int64) {
    before = list.stop?.before ?? list.last.map(number) ?? before
  }
}

extension BackendOperation where Output: RowList {
  /// The operation as one that answers a list in pages.
  ///
  /// - Parameters:
  ///   - page: The input that says which rows.
  ///   - limit: How many of them at most.
  ///   - shown: The list as a client shows it.
  ///   - advance: Moves to the rows after those of a list that is not empty.
  /// - Returns: The operation.
  func listing<Page>(
    _ page: any WritableKeyPath<Input, Page> & Sendable, _ limit: any WritableKeyPath<Page, Int> & Sendable,
    shown: @escaping @Sendable (Output) -> Output = { $0 }, _ advance: @escaping @Sendable (inout Page, Output) -> Void
  ) -> BackendOperation {
    @Sendable func capped(_ input: Input, to count: Int) -> Input {
      var input = input
      input[keyPath: page][keyPath: limit] = min(max(0, count), Frames.longestPage)
      return input
    }
    var operation = self
    operation.capped = { capped($0, to: $0[keyPath: page][keyPath: limit]) }
    operation.asking = { (input, ask) throws(BackendError) in
      let wanted = input[keyPath: page][keyPath: limit]
      var input = input
      var list = try ask(capped(input, to: wanted))
      while !list.isEmpty, list.count < wanted, list.count.isMultiple(of: Frames.longestPage), !list.isStopped {
        advance(&input[keyPath: page], list)
        let rows = try ask(capped(input, to: wanted - list.count))
        list = list.joined(with: rows)
        if rows.isEmpty { break }
      }
      return shown(list)
    }
    return operation
  }
}
