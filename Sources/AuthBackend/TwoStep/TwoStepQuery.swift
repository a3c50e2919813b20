/// The second step of an account as it is stored.
struct TwoStepRow {
  let secret: [UInt8]
  /// The last time step that opened something; nil until a first code confirmed the secret.
  let lastStep: Int64?
  let since: WallTime

  init(_ row: Row) {
    secret = row.blob(0)
    lastStep = row.isNull(1) ? nil : row.integer(1)
    since = WallTime(microseconds: row.integer(2))
  }
}

package enum TwoStepQuery: String, Query {
  case find = "SELECT secret, last_step, since FROM two_steps WHERE account = $1"
  case begin = """
    INSERT INTO two_steps(account, secret) VALUES ($1, $2) ON CONFLICT(account) DO UPDATE SET secret = excluded.secret
    """
  case turnOn = "UPDATE two_steps SET last_step = $1, since = $2 WHERE account = $3 AND last_step IS NULL"
  /// A time step opens once, and after it none before it.
  case use = "UPDATE two_steps SET last_step = $1 WHERE account = $2 AND last_step < $1"
  case turnOff = "DELETE FROM two_steps WHERE account = $1"
  case policy = "SELECT two_step_required FROM authority WHERE id = 1"
  case setPolicy = "UPDATE authority SET two_step_required = $1 WHERE id = 1"
}
