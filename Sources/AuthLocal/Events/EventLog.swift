import AuthBackend
import AuthCore

extension LocalAuthority {
  /// How many events that concern no account are kept.
  static let namelessEventLimit: Int64 = 10_000

  /// Appends an event in the transaction that `db` is in.
  ///
  /// A session is named by its public name, so that one that is seen here can be revoked. That name is no secret and
  /// opens nothing; the token, which does, is never written (OWASP Logging Cheat Sheet, "Data to exclude").
  func record(
    _ name: EventName, account: Int64?, actor: Int64? = nil, session: SessionID? = nil, detail: String? = nil,
    in db: Connection
  ) throws(BackendError) {
    func number(_ id: Int64?) -> SQLValue { id.map { .integer($0) } ?? .null }
    try db.run(
      EventQuery.append, .integer(wallClock().microseconds), .text(name.rawValue), number(account), number(actor),
      .text(session?.rawValue), .text(detail))
    if account == nil { try db.run(EventQuery.trim, .integer(Self.namelessEventLimit)) }
  }
}
