import AuthBackend
import AuthCore

extension LocalAuthority {
  /// How many events that concern no account are kept.
  static let namelessEventLimit: Int64 = 10_000

  /// Appends an event in the transaction that `db` is in.
  ///
  /// A session is named by a salted hash, so that the log does not tell which listing it belongs to and still tells
  /// sessions apart (OWASP Logging Cheat Sheet, "Data to exclude").
  func record(
    _ name: EventName, account: Int64?, actor: Int64? = nil, session: SessionID? = nil, detail: String? = nil,
    in db: Connection
  ) throws(LocalFailure) {
    var hash: String?
    if let session {
      let salt = try db.first(EventQuery.salt) { $0.blob(0) } ?? []
      hash = String(Hex.text(SHA256.hash(salt + session.rawValue.utf8)).prefix(16))
    }
    func number(_ id: Int64?) -> SQLValue { id.map { .integer($0) } ?? .null }
    try db.run(
      EventQuery.append, .integer(wallClock().microseconds), .text(name.rawValue), number(account), number(actor),
      .text(hash), .text(detail))
    if account == nil { try db.run(EventQuery.trim, .integer(Self.namelessEventLimit)) }
  }
}
