import AuthAccounts
import AuthCore

extension BackendError {
  /// Whether the service logs the error, for operators.
  var isRefusal: Bool {
    switch kind {
    case .credentials, .notPermitted, .throttled, .unavailable: true
    case .refused: code == Code.notDatabaseOwner.rawValue
    case .invalid, .challenged, .session, .notFresh: false
    }
  }

  /// The error as the service sends it to a client.
  ///
  /// It does not say where the database is, or what the database server reported; the log does.
  var told: BackendError {
    guard case .unavailable(let failure) = kind else { return self }
    switch FailureCode.named(failure.code) {
    case .answerTooLong, .clockWasAhead, .messageInvalid, .requestTooLong, .serviceBusy, .serviceStopping:
      return self
    case .outcomeUnknown:
      return .unavailable(.outcomeUnknown, "the service's database", "the log of the service has the cause")
    case _:
      let message = "the service or its database \(failure.cause == .busy ? "is busy" : "has a fault")"
      let hint = "Try again later. If it happens again, tell an operator: the log has the cause. Nothing was changed."
      return BackendError(Unavailability(failure.cause, message, hint: hint, code: failure.code))
    }
  }

  /// Refuses a request for which no thread has time.
  static func busy(after wait: Duration) -> BackendError {
    .unavailable(.serviceBusy, "\(max(1, wait.wholeSeconds))")
  }

  /// Refuses a connection of a caller that has too many.
  static let tooManyConnections = BackendError.unavailable(.serviceBusy, "5")
  /// Refuses a request because the service is stopping.
  static let stopping = BackendError.unavailable(.serviceStopping)
}
