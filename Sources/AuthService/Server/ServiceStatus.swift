import AuthBackend
import Guards

/// What the service has done, in numbers.
final class Counters: Sendable {
  struct Values: Sendable {
    var answered = 0
    var hashed = 0
    var unavailable = 0
    /// By reason: codes of errors and of endings, of which there are few.
    var refused: [String: Int] = [:]
  }

  private let state = Locked<Values>(Values())

  var values: Values { state.withLock { $0 } }

  func count(_ result: Result<BackendAnswer, BackendError>, hashes: Bool) {
    state.withLock { values in
      values.answered += 1
      if hashes { values.hashed += 1 }
      if case .failure(let error) = result, case .unavailable = error.kind { values.unavailable += 1 }
    }
  }

  func refused(_ reason: String) { state.withLock { $0.refused[reason, default: 0] += 1 } }
}

/// The state of the service at one moment.
package struct ServiceStatus: Sendable {
  /// How many requests wait for the threads of one kind, and run on them.
  package typealias Load = (waiting: Int, running: Int, wait: Duration)

  package let connections: Int
  /// Since the start.
  package let accepted: UInt64
  package let subscribers: Int
  package let requests: Load
  package let passwords: Load
  /// Requests that were answered since the start, those with a password, and those that the
  /// database did not answer.
  package let answered: Int
  package let hashed: Int
  package let unavailable: Int
  /// Refusals since the start, by reason.
  package let refused: [String: Int]
  /// Why the database could not be read the last time, if it could not.
  package var fault: String?
}
