import AuthBackend
import AuthCore

// Lists cross the socket in pages that fit a frame: a client asks for one after the other, and the
// service gives no more at a time.

extension BackendRequest {
  /// How many rows a list has at most; nil for what brings no list.
  var rows: Int? {
    switch self {
    case .receipts(let page, _), .events(_, let page, _): page.limit
    case .accounts(let query, _): query.limit
    case .sessions(let page, _): page.limit
    case _: nil
    }
  }

  /// The same list with at most so many rows, after those of an answer.
  func page(of limit: Int, after answer: BackendAnswer? = nil) -> BackendRequest {
    let limit = min(max(0, limit), Frames.longestPage)
    switch self {
    case .receipts(var page, let token):
      page.limit = limit
      page.before = answer?.receipts?.end(\.id) ?? page.before
      return .receipts(page, token)
    case .events(let scope, var page, let token):
      page.limit = limit
      page.before = answer?.events?.end(\.id) ?? page.before
      return .events(scope, page, token)
    case .accounts(var query, let token):
      query.limit = limit
      query.after = answer?.accounts?.last?.user.username ?? query.after
      return .accounts(query, token)
    case .sessions(var page, let token):
      page.limit = limit
      page.after = answer?.sessions?.last.map { .init(createdAt: $0.createdAt, id: $0.id) } ?? page.after
      return .sessions(page, token)
    case _: return self
    }
  }
}

extension BackendAnswer {
  /// How many rows a list has; nil for what is no list in pages.
  var rows: Int? {
    receipts?.count ?? events?.count ?? accounts?.count ?? sessions?.count
  }

  /// This list with one more page, or the page where that is of another kind, which no backend
  /// takes for the list.
  func joined(with page: BackendAnswer) -> BackendAnswer {
    switch (self, page) {
    case (.receipts(let rows), .receipts(let more)): .receipts(Found(rows.rows + more.rows, stop: more.stop))
    case (.events(let rows), .events(let more)): .events(Found(rows.rows + more.rows, stop: more.stop))
    case (.accounts(let rows), .accounts(let more)): .accounts(rows + more)
    case (.sessions(let rows), .sessions(let more)): .sessions(rows + more)
    case _: page
    }
  }
}

extension Found {
  /// The number before which the list continues, for rows that have these.
  fileprivate func end(_ number: (Row) -> Int64) -> Int64? { stop?.before ?? rows.last.map(number) }
}

extension BackendAnswer {
  /// Whether the search for the rows stopped before there were enough.
  var isStopped: Bool { receipts?.stop != nil || events?.stop != nil }
}
