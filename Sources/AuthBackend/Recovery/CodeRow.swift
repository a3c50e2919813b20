import AuthCore
import AuthDevice

/// A recovery code or a one-time code as it is stored.
///
/// A one-time code expires by the boot clock, which nobody can set back, until the machine is
/// restarted, and by the wall clock after that.
struct CodeRow {
  /// Whether it is one of the ten that do not expire.
  let isRecoveryCode: Bool
  private let expiresAt: Int64
  private let boot: BootID?
  private let bootUntil: Int64

  init(_ row: Row) {
    isRecoveryCode = row.isNull(0)
    expiresAt = row.integer(0)
    boot = BootID(row.blob(1))
    bootUntil = row.integer(2)
  }

  func isValid(at now: BootInstant, wall: WallTime) -> Bool {
    if isRecoveryCode { return true }
    return boot == now.boot ? now.uptime.wholeNanoseconds < bootUntil : wall.microseconds < expiresAt
  }
}

package enum CodeQuery: String, Query {
  case find = "SELECT expires_at, boot, boot_until FROM codes WHERE account = $1 AND code_hash = $2"
  case count = "SELECT count(*) FROM codes WHERE account = $1 AND expires_at IS NULL"
  case insert = "INSERT INTO codes(account, code_hash, expires_at, boot, boot_until) VALUES ($1, $2, $3, $4, $5)"
  case use = "DELETE FROM codes WHERE account = $1 AND code_hash = $2"
  case voidRecoveryCodes = "DELETE FROM codes WHERE account = $1 AND expires_at IS NULL"
  case voidOneTimeCodes = "DELETE FROM codes WHERE account = $1 AND expires_at IS NOT NULL"
  case voidAll = "DELETE FROM codes WHERE account = $1"
}
