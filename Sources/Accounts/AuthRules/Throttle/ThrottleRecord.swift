package import AuthAccounts
package import AuthCore

/// The failed attempts on one name since its last success.
package struct ThrottleRecord: Hashable, Sendable {
  /// Passwords that were checked or are being checked.
  package var guesses: Int64 = 0
  /// Those of them that were wrong.
  package var failures: Int64 = 0
  /// All attempts, including those that were denied without a check.
  package var attempts: Int64 = 0
  /// When the next guess is checked.
  package var wait: BootInstant?

  package init() {}

  /// The decision about an attempt.
  package enum Decision: Hashable, Sendable {
    /// Check the password.
    ///
    /// The attempt is counted as a failure already.
    case allow
    /// Do not check it.
    case deny(Throttle)
    /// Do not check it yet: attempts that are being checked began the wait and may end it.
    case retry(Throttle)

    /// Why the attempt is not checked now; nil for one that is.
    package var denial: Throttle? {
      switch self {
      case .allow: nil
      case .deny(let throttle), .retry(let throttle): throttle
      }
    }
  }

  /// Counts an attempt before its password is checked, and says whether to check it.
  ///
  /// A wait that was begun in another boot, or by a clock that was ahead, starts again in full,
  /// because that clock is gone.
  ///
  /// - Parameters:
  ///   - now: The present instant.
  ///   - mayLock: Whether the account may be locked; false for the last administrator, who waits an
  ///     hour each time.
  /// - Returns: The decision about the attempt.
  package mutating func count(at now: BootInstant, mayLock: Bool) -> Decision {
    attempts = attempts.clampedSum(1)
    if guesses >= ThrottlePolicy.lockedAt, mayLock { return .deny(.locked) }
    if let end = wait, let full = ThrottlePolicy.wait(after: guesses) {
      let left = end.uptime - now.uptime
      if end.boot != now.boot || left > full + SessionPolicy.clockTolerance {
        wait = now.advanced(by: full)
        return .deny(.wait(full))
      }
      if left > .zero {
        return guesses > failures && full - left < ThrottlePolicy.longestCheck
          ? .retry(.wait(left)) : .deny(.wait(left))
      }
    }
    guesses = guesses.clampedSum(1)
    wait = ThrottlePolicy.wait(after: guesses).map { now.advanced(by: $0) }
    return .allow
  }

  /// The decision about an attempt now, without counting it.
  func decision(at now: BootInstant, mayLock: Bool) -> Decision {
    var copy = self
    return copy.count(at: now, mayLock: mayLock)
  }
}

extension ThrottleRecord: RowDecodable {
  /// Reads guesses, attempts, boot, instant and failures from five columns.
  package init(_ row: Row) throws(BackendError) {
    (guesses, attempts) = (try row[0], try row[1])
    (wait, failures) = (try row[2], try row[4])
  }
}
