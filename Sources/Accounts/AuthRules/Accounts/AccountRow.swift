package import AuthAccounts
import AuthCore
import TextFormat

/// The stored row of an account, with the data of a password check.
struct AccountRow: Sendable, RowDecodable {
  let id: Int64
  let user: User
  let passwordHash: String
  let isDisabled: Bool
  let createdAt: WallTime
  let throttle: ThrottleRecord
  /// In microseconds since 1970; 0 before the first login.
  let lastLogin: Int64
  /// Whether the password is followed by a code.
  let hasSecondStep: Bool

  /// Reads the columns that ``AccountSelection`` has.
  init(_ row: Row) throws(BackendError) {
    (id, user, passwordHash, isDisabled) = (try row[0], try row[0], try row[4], try row[5])
    (createdAt, throttle, lastLogin, hasSecondStep) = (try row[6], try row[7], try row[12], try row[13])
  }
}

extension Transaction {
  func account(named name: Username) throws(BackendError) -> AccountRow? {
    try first(AccountSelection.byName, name.canonical)
  }

  func account(_ id: Int64) throws(BackendError) -> AccountRow {
    try one(AccountSelection.byID, id, else: "account \(id) is gone")
  }

  /// Finds the account with a name; refuses a name without an account.
  func existing(_ name: Username) throws(BackendError) -> AccountRow {
    guard let account = try account(named: name) else { throw .refused(.accountNotFound, name.canonical) }
    return account
  }

  func requireAnotherAdministrator(than account: AccountRow) throws(BackendError) {
    if account.user.role == .administrator, try !has(AccountQuery.otherAdministrator, account.id, Int64.max) {
      throw .refused(.lastAdministrator, account.user.username)
    }
  }
}

/// The rows of accounts, in the columns that ``AccountRow`` reads.
package enum AccountSelection: String, Query {
  case byName = "WHERE name = $1"
  case byID = "WHERE id = $1"
  case members = """
    JOIN members m ON m.account = accounts.id WHERE m.group_name = $1 AND m.account > $2 ORDER BY m.account LIMIT $3
    """
  case page = "WHERE name >= $1 AND name < $2 ORDER BY name LIMIT $3"
  /// The names are compared as expressions, so that the rows come from the index of logins.
  case pageByLogin = """
    WHERE (last_login_at, id) < ($1, $2) AND name || '' >= $3 AND name || '' < $4
    ORDER BY last_login_at DESC, id DESC LIMIT $5
    """

  package var sql: String {
    """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, attempts, wait_boot, wait_until,
      failures, last_login_at, EXISTS (SELECT 1 FROM two_steps WHERE account = accounts.id AND last_step IS NOT NULL)
    FROM accounts \(rawValue)
    """
  }
}

/// The other statements about accounts.
package enum AccountQuery: String, Query {
  case noteLogin = "UPDATE accounts SET last_login_at = $1 WHERE id = $2"
  case exists = "SELECT 1 FROM accounts WHERE name = $1"
  case isReserved = "SELECT 1 FROM reserved_names WHERE name_hash = $1"
  case reserveName = "INSERT INTO reserved_names(name_hash) VALUES ($1)"
  /// Keeps the number of a deleted account, because payments and events refer to it.
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

extension Username {
  /// The hash that reserves the name of a deleted account.
  package var reservation: [UInt8] { SHA256.hash(Array(canonical.utf8)) }
}

extension AccountsQuery {
  /// The first name that may be in the list, and one that is after all that may be.
  ///
  /// A name uses only the characters from `-` to `z`; deleted accounts come before all names.
  package var names: (from: String, to: String) {
    // Comparing many combining marks takes seconds. A longer prefix begins no name.
    let prefix = namePrefix.utf8.count <= 64 ? namePrefix.lowercased() : "~"
    return (max(prefix, DeletedAccount.lastName), prefix + "~")
  }
}
