import AuthBackend
import AuthCore

/// An account as it is stored, with what a password check needs.
struct AccountRow: Sendable {
  let id: Int64
  let user: User
  let passwordHash: String
  let isDisabled: Bool
  let createdAt: WallTime
  let throttle: ThrottleRecord

  static func userID(_ id: Int64) -> UserID { UserID(rawValue: "u\(id)") }

  /// Reads the columns that every query of accounts begins with, in ``AccountQuery/columns`` order.
  init(_ row: Row, in db: Connection) throws(BackendError) {
    id = row.integer(0)
    user = try Self.user(row, from: 0, in: db)
    passwordHash = row.text(4)
    isDisabled = row.flag(5)
    createdAt = WallTime(microseconds: row.integer(6))
    throttle = ThrottleRecord(row, from: 7)
  }

  /// Reads id, name, display name and role from four columns.
  static func user(_ row: Row, from column: Int32, in db: Connection) throws(BackendError) -> User {
    guard let role = Role(rawValue: row.text(column + 3)) else { throw db.damaged("an account has an unknown role") }
    return User(
      id: userID(row.integer(column)), username: row.text(column + 1), displayName: row.text(column + 2), role: role)
  }
}
