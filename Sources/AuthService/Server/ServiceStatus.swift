import AuthBackend

/// What the service has done since its start.
package struct ServiceCounts: Sendable {
  /// Connections that were accepted.
  package internal(set) var accepted: UInt64 = 0
  /// Requests that were answered, those with a password, and those that the database did not
  /// answer.
  package private(set) var answered = 0
  package private(set) var hashed = 0
  package private(set) var unavailable = 0
  /// Refusals by reason: codes of errors and of endings, of which there are few.
  package private(set) var refused: [String: Int] = [:]

  mutating func count(_ result: Result<BackendAnswer, BackendError>, hashes: Bool) {
    answered += 1
    if hashes { hashed += 1 }
    if case .failure(let error) = result, case .unavailable = error.kind { unavailable += 1 }
  }

  mutating func refuse(_ reason: String) { refused[reason, default: 0] += 1 }
}

/// The state of the service at one moment.
package struct ServiceStatus: Sendable {
  /// How many requests wait for the threads of one kind, and run on them.
  package typealias Load = (waiting: Int, running: Int, wait: Duration)

  package let connections: Int
  package let subscribers: Int
  package let requests: Load
  package let passwords: Load
  package let counts: ServiceCounts
  /// Why the database could not be read the last time, if it could not.
  package var fault: String?
}
