package enum UnknownNameQuery: String, Query {
  /// 16 random bytes, which were drawn for hashes of sessions in events and have no other use now.
  case key = "SELECT event_salt FROM authority WHERE id = 1"
  case find = "SELECT guesses, attempts, wait_boot, wait_until, failures FROM unknown_names WHERE name_hash = $1"
  case insert = """
    INSERT INTO unknown_names(name_hash, guesses, attempts, wait_boot, wait_until) VALUES ($1, $2, $3, $4, $5)
    """
  case update = """
    UPDATE unknown_names SET guesses = $1, attempts = $2, wait_boot = $3, wait_until = $4 WHERE name_hash = $5
    """
  case refundAttempt = """
    UPDATE unknown_names SET guesses = guesses - 1, attempts = attempts - 1, wait_boot = NULL, wait_until = NULL
    WHERE name_hash = $1 AND failures < guesses
    """
  case addFailure = "UPDATE unknown_names SET failures = failures + 1 WHERE name_hash = $1 AND failures < guesses"
  case forget = "DELETE FROM unknown_names WHERE name_hash = $1"
  case evict = "DELETE FROM unknown_names WHERE id <= (SELECT max(id) FROM unknown_names) - $1"
}
