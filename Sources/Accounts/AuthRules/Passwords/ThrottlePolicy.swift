package import AuthAccounts
import TextFormat

/// The wait of a name after consecutive failures.
///
/// Five are free; then 30 s, doubling to an hour; at a hundred the account is locked until an
/// administrator unlocks it.
/// Source: NIST SP 800-63B-4, section 3.2.2 (no more than 100 consecutive failures); OWASP
/// Authentication Cheat Sheet, "Account Lockout".
package enum ThrottlePolicy {
  package static let free: Int64 = 5
  package static let lockedAt: Int64 = 100
  package static let firstWait: Duration = .seconds(30)
  package static let longestWait: Duration = .seconds(3600)
  /// The longest time in which an attempt is checked; after that its process counts as killed.
  ///
  /// A check takes 0.1 s. Five at once took 3.5 s on two processors with fifty busy processes.
  package static let longestCheck: Duration = .seconds(10)
  /// The longest wait of an attempt for others that are being checked, five after five.
  package static let longestTurn: Duration = .seconds(30)

  /// How long a service takes to deny an attempt, whatever it is counted on: longer than counting
  /// takes, and less than a hash.
  package static let denialTime: Duration = .milliseconds(50)

  /// The wait that begins with the failure that makes the count `guesses`, or nil when there is
  /// none.
  package static func wait(after guesses: Int64) -> Duration? {
    guard guesses >= free else { return nil }
    let doublings = min(guesses - free, 7)
    return min(firstWait * Int(1 << doublings), longestWait)
  }
}

/// Attempts on names without an account are counted like others, so that the answers do not differ.
///
/// People type passwords into the field for the name. So all invalid names share one counter, and a
/// valid name is stored as a hash with a random key of the database. At most ``limit`` names are
/// stored, and the oldest are deleted first, so a flood of invented names does not fill the disk. A
/// deleted counter tells an invented name from an account, whose counter is never deleted. So the
/// limit takes days to reach: each name costs a password hash.
package enum UnknownName {
  package static let limit: Int64 = 1_000_000

  /// The key of the counter of a name; nil counts all invalid names together.
  package static func hash(of name: Username?, key: [UInt8]) -> [UInt8] {
    SHA256.hash(key + Array((name.map { "name" + $0.canonical } ?? "none").utf8))
  }
}

extension BackendError {
  /// The answer to the wrong guess of this number: its value is the wait in seconds that begins
  /// with it, if one does.
  package static func credentialsNotAccepted(after guess: Int64) -> BackendError {
    // After the last guess an account is locked, or waits; the next attempt says which.
    let wait = guess < ThrottlePolicy.lockedAt ? ThrottlePolicy.wait(after: guess) : nil
    return BackendError(.credentials, credentialsNotAccepted.code, wait.map { [String($0.wholeSeconds)] } ?? [])
  }
}
