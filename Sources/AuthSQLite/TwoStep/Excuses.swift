import AuthBackend
import AuthCore
import Guards

/// What a right answer to a challenge goes on with.
struct StepRequest: Sendable {
  /// The session whose password was checked; nil for a login.
  let session: SessionToken?
  let limits: LimitRequest
}

/// A right password that waits for its code.
struct PasswordAccepted: Sendable {
  let account: Int64
  /// What the password was right for: a new password ends the challenge.
  let passwordHash: String
  /// A hash of higher cost, which is stored when the code is right too.
  let newHash: String?
  let step: StepRequest
}

/// The sessions whose next password needs no code, in the memory of this process.
final class Excuses: Sendable {
  private struct Excuse: Sendable {
    let session: SessionID
    let passwordHash: String
    let deadline: BootInstant
  }

  private let excuses = Locked<[Excuse]>([])

  /// Lets the next reauthentication of a session pass without a code, for a minute.
  func give(_ session: SessionID, with passwordHash: String, at now: BootInstant) {
    excuses.withLock { excuses in
      excuses.removeAll { $0.session == session || !$0.deadline.isAhead(of: now) }
      excuses.append(
        Excuse(session: session, passwordHash: passwordHash, deadline: now.advanced(by: TwoStepRules.excuse)))
    }
  }

  /// Whether a session needs no code now.
  ///
  /// It does need one the next time.
  func take(_ session: SessionID, with passwordHash: String, at now: BootInstant) -> Bool {
    excuses.withLock { excuses in
      let count = excuses.count
      excuses.removeAll {
        $0.session == session && $0.passwordHash == passwordHash && $0.deadline.isAhead(of: now)
      }
      return excuses.count < count
    }
  }
}
