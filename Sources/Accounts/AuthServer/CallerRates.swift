import AuthAccounts
import AuthRules
import AuthService

/// How often a user of the machine may do something, and each name within that user: a quarter of
/// it, so that of the people who share a user none uses up what the others need.
struct CallerRates: Sendable {
  private let users: Rates<Caller>
  private let names: Rates<Caller>

  init(burst: Int, perSecond: Double) {
    users = Rates(burst: burst, perSecond: perSecond)
    names = Rates(burst: burst == .max ? .max : max(1, burst / 4), perSecond: perSecond / 4)
  }

  func require(_ caller: Caller) throws(BackendError) {
    if caller.name != nil { try names.require(caller) }
    try users.require(Caller(user: caller.user))
  }

  func count(_ caller: Caller) {
    if caller.name != nil { names.count(caller) }
    users.count(Caller(user: caller.user))
  }

  /// Counts one time for a user, if it has not used up its times.
  func isCounted(_ caller: Caller) -> Bool { users.counted(Caller(user: caller.user)) != nil }

  /// Counts for a name what was counted for its user before the name was known.
  ///
  /// - Returns: False when the name has used up its times; then it does not count for the user.
  func isCounted(asName caller: Caller) -> Bool {
    if names.counted(caller) != nil { return true }
    users.refund(Caller(user: caller.user))
    return false
  }
}
