// Lists cross the socket in pages that fit a frame: the client requests one page after the other,
// and the service never sends more than one page at a time.

/// A list of rows that is the output of an operation.
protocol RowList: RandomAccessCollection {
  /// Whether the search stopped early, before it had found as many rows as were requested.
  var isStopped: Bool { get }

  /// Returns this list with the rows of another page after its own.
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
  /// Moves this page to the rows that come after a list that was read, which have lower numbers.
  mutating func move<Row>(after list: Found<Row>, _ number: (Row) -> Int64) {
    before = list.stop?.before ?? list.last.map(number) ?? before
  }
}

extension BackendOperation where Output: RowList {
  /// Returns this operation as one whose list a service sends in pages that fit a frame.
  ///
  /// - Parameters:
  ///   - page: The input that selects the rows.
  ///   - limit: The most rows, in that input.
  ///   - shown: Turns the whole list into the one that the client shows.
  ///   - advance: Moves the input to the rows after those of a list, which is not empty.
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
    operation.exchange.capped = { capped($0, to: $0[keyPath: page][keyPath: limit]) }
    operation.exchange.asking = { (input, ask) throws(BackendError) in
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

extension BackendOperation {
  /// Returns this operation as one that searches a list if its page leaves out rows, and whose list
  /// a service sends in pages that fit a frame.
  ///
  /// - Parameters:
  ///   - page: The input that selects the rows.
  ///   - shown: Turns the whole list into the one that the client shows.
  ///   - number: The number of a row, by which the list is ordered.
  /// - Returns: The operation.
  func searching<Row>(
    _ page: any WritableKeyPath<Input, Page> & Sendable, shown: @escaping @Sendable (Output) -> Output = { $0 },
    _ number: @escaping @Sendable (Row) -> Int64
  ) -> BackendOperation where Output == Found<Row> {
    var operation = listing(page, \.limit, shown: shown) { $0.move(after: $1, number) }
    operation.exchange.isSearch = { $0[keyPath: page].isRestricted }
    return operation
  }
}
