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

/// The statements about accounts.
///
/// The columns of a selection are in the order that ``AccountRow`` reads.
package enum AccountQuery: String, Query {
  case byName = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, attempts, wait_boot, wait_until,
      failures
    FROM accounts WHERE name = ?
    """
  case byID = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, attempts, wait_boot, wait_until,
      failures
    FROM accounts WHERE id = ?
    """
  case page = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, attempts, wait_boot, wait_until,
      failures
    FROM accounts WHERE name > ? ORDER BY name LIMIT ?
    """
  case exists = "SELECT 1 FROM accounts WHERE name = ?"
  case isReserved = "SELECT 1 FROM reserved_names WHERE name_hash = ?"
  case reserveName = "INSERT INTO reserved_names(name_hash) VALUES (?)"
  /// What remains of a deleted account: a number for payments and events to refer to.
  case erase = """
    UPDATE accounts SET name = '#' || id, display_name = ?, role = 'member', password_hash = ?, disabled = 1,
      guesses = 0, attempts = 0, failures = 0, wait_boot = NULL, wait_until = NULL
    WHERE id = ?
    """
  case registration = "SELECT registration_closed FROM authority WHERE id = 1"
  case setRegistration = "UPDATE authority SET registration_closed = ? WHERE id = 1"
  case insert = """
    INSERT INTO accounts(name, display_name, role, password_hash, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id
    """
  case takeFirstAdministrator = "UPDATE authority SET administrator_made = 1 WHERE id = 1 AND administrator_made = 0"
  case otherAdministrator = """
    SELECT 1 FROM accounts
    WHERE role = 'administrator' AND id <> ? AND disabled = 0 AND guesses < ? LIMIT 1
    """
  case rehash = "UPDATE accounts SET password_hash = ? WHERE id = ? AND password_hash = ?"
  case setPassword = "UPDATE accounts SET password_hash = ? WHERE id = ?"
  case setDisplayName = "UPDATE accounts SET display_name = ? WHERE id = ?"
  case setRole = "UPDATE accounts SET role = ? WHERE id = ?"
  case setDisabled = "UPDATE accounts SET disabled = ? WHERE id = ?"
  case setThrottle = """
    UPDATE accounts SET guesses = ?, attempts = ?, wait_boot = ?, wait_until = ?, failures = ? WHERE id = ?
    """
  case refundAttempt = """
    UPDATE accounts SET guesses = guesses - 1, attempts = attempts - 1, wait_boot = NULL, wait_until = NULL
    WHERE id = ? AND failures < guesses
    """
  case addFailure = "UPDATE accounts SET failures = failures + 1 WHERE id = ? AND failures < guesses"
}
