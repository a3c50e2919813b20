import AuthCore

/// An account as it is stored, with what a password check needs.
struct AccountRow: Sendable {
  let id: Int64
  let user: User
  let passwordHash: String
  let isDisabled: Bool
  let createdAt: WallTime
  let throttle: ThrottleRecord
  /// In microseconds since 1970; 0 before the first login.
  let lastLogin: Int64
  let hasSecondStep: Bool

  static func userID(_ id: Int64) -> UserID { UserID(rawValue: "u\(id)") }

  /// Reads the columns that every query of accounts begins with, in ``AccountQuery/columns`` order.
  init(_ row: Row, in db: any Transaction) throws(BackendError) {
    id = row.integer(0)
    user = try Self.user(row, from: 0, in: db)
    passwordHash = row.text(4)
    isDisabled = row.flag(5)
    createdAt = WallTime(microseconds: row.integer(6))
    throttle = ThrottleRecord(row, from: 7)
    lastLogin = row.integer(12)
    hasSecondStep = row.flag(13)
  }

  /// Reads id, name, display name and role from four columns.
  static func user(_ row: Row, from column: Int32, in db: any Transaction) throws(BackendError) -> User {
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
      failures, last_login_at,
      EXISTS (SELECT 1 FROM two_steps WHERE account = accounts.id AND last_step IS NOT NULL)
    FROM accounts WHERE name = $1
    """
  case byID = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, attempts, wait_boot, wait_until,
      failures, last_login_at,
      EXISTS (SELECT 1 FROM two_steps WHERE account = accounts.id AND last_step IS NOT NULL)
    FROM accounts WHERE id = $1
    """
  case page = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, attempts, wait_boot, wait_until,
      failures, last_login_at,
      EXISTS (SELECT 1 FROM two_steps WHERE account = accounts.id AND last_step IS NOT NULL)
    FROM accounts WHERE name >= $1 AND name < $2 ORDER BY name LIMIT $3
    """
  /// The names are compared as expressions, so that the rows come from the index of logins.
  case pageByLogin = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, attempts, wait_boot, wait_until,
      failures, last_login_at,
      EXISTS (SELECT 1 FROM two_steps WHERE account = accounts.id AND last_step IS NOT NULL)
    FROM accounts WHERE (last_login_at, id) < ($1, $2) AND name || '' >= $3 AND name || '' < $4
    ORDER BY last_login_at DESC, id DESC LIMIT $5
    """
  case noteLogin = "UPDATE accounts SET last_login_at = $1 WHERE id = $2"
  case exists = "SELECT 1 FROM accounts WHERE name = $1"
  case isReserved = "SELECT 1 FROM reserved_names WHERE name_hash = $1"
  case reserveName = "INSERT INTO reserved_names(name_hash) VALUES ($1)"
  /// What remains of a deleted account: a number for payments and events to refer to.
  case erase = """
    UPDATE accounts SET name = '#' || id, display_name = $1, role = 'member', password_hash = $2, disabled = 1,
      guesses = 0, attempts = 0, failures = 0, wait_boot = NULL, wait_until = NULL, last_login_at = 0
    WHERE id = $3
    """
  case registration = "SELECT registration_closed FROM authority WHERE id = 1"
  case setRegistration = "UPDATE authority SET registration_closed = $1 WHERE id = 1"
  case insert = """
    INSERT INTO accounts(name, display_name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING id
    """
  case takeFirstAdministrator = "UPDATE authority SET administrator_made = 1 WHERE id = 1 AND administrator_made = 0"
  case otherAdministrator = """
    SELECT 1 FROM accounts
    WHERE role = 'administrator' AND id <> $1 AND disabled = 0 AND guesses < $2 LIMIT 1
    """
  case rehash = "UPDATE accounts SET password_hash = $1 WHERE id = $2 AND password_hash = $3"
  case setPassword = "UPDATE accounts SET password_hash = $1 WHERE id = $2"
  case setDisplayName = "UPDATE accounts SET display_name = $1 WHERE id = $2"
  case setRole = "UPDATE accounts SET role = $1 WHERE id = $2"
  case setDisabled = "UPDATE accounts SET disabled = $1 WHERE id = $2"
  case setThrottle = """
    UPDATE accounts SET guesses = $1, attempts = $2, wait_boot = $3, wait_until = $4, failures = $5 WHERE id = $6
    """
  case refundAttempt = """
    UPDATE accounts SET guesses = guesses - 1, attempts = attempts - 1, wait_boot = NULL, wait_until = NULL
    WHERE id = $1 AND failures < guesses
    """
  case addFailure = "UPDATE accounts SET failures = failures + 1 WHERE id = $1 AND failures < guesses"
}
