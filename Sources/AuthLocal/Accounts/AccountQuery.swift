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
  case setDisabled = "UPDATE accounts SET disabled = ? WHERE id = ?"
  case setThrottle = """
    UPDATE accounts SET guesses = ?, attempts = ?, wait_boot = ?, wait_until = ?, failures = ? WHERE id = ?
    """
  case giveBack = """
    UPDATE accounts SET guesses = guesses - 1, attempts = attempts - 1, wait_boot = NULL, wait_until = NULL
    WHERE id = ? AND failures < guesses
    """
  case addFailure = "UPDATE accounts SET failures = failures + 1 WHERE id = ? AND failures < guesses"
}
