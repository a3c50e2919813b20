package import AuthAccounts
package import AuthCore
package import CommandLineKit
import TextFormat

/// An error of a library that ends a command.
///
/// This file has the only mapping from such errors to messages and exit statuses.
package protocol CommandFailure: Error {
  /// The exit status, code, message and hint for this error.
  var asCommandError: CommandError { get }
}

extension CommandError {
  package init(_ failure: some CommandFailure) { self = failure.asCommandError }
}

/// Runs `body`, and throws its error as the error of the command.
@discardableResult
package func explained<Value, Failure: CommandFailure>(
  _ body: () throws(Failure) -> Value
) throws(CommandError) -> Value {
  do throws(Failure) { return try body() } catch { throw error.asCommandError }
}

/// Runs `body`, and throws its error as the error of the command.
@discardableResult
package func explainedAsync<Value, Failure: CommandFailure>(
  _ body: () async throws(Failure) -> Value
) async throws(CommandError) -> Value {
  do throws(Failure) { return try await body() } catch { throw error.asCommandError }
}

// What the program adds to the text of a backend's code: the exit status, and commands in the hint.
extension CommandError {
  package init(_ text: ErrorText, _ values: [String]) {
    let status: ExitStatus =
      switch text.kind {
      case .refused: .no
      case .invalid: .usage
      case .failed: .cannotTell
      }
    let hint = Self.commands[text.code] ?? Hint(text.hint)
    self = CommandError(status, text.code, text.clause, hint: hint).filled(values)
  }

  private static let commands: [String: Hint] = [
    BackendError.Code.accountNotFound.rawValue: "Check the name. List the accounts: \(run: "accounts", "list")",
    BackendError.Code.lastAdministrator.rawValue:
      "Make another account an administrator first: \(run: "accounts", "promote", "USER")",
    BackendError.Code.payeeDisabled.rawValue:
      "An administrator can enable it: \(runByOthers: "accounts", "enable", "{NAME}")",
    BackendError.Code.sessionNotFound.rawValue: "List your sessions: \(run: "sessions")",
    BackendError.Code.twoStepAlreadyOn.rawValue:
      "To change the device, turn it off first: \(run: "two-step", "off")",
    BackendError.Code.twoStepNotBegun.rawValue: "Begin it: \(run: "two-step", "on")",
    BackendError.Code.twoStepRequired.rawValue: "Set it up: \(run: "two-step", "on")",
    BackendError.FailureCode.databaseMissing.rawValue:
      "Register the first account: \(run: "register", "USER")",
    BackendError.FailureCode.sessionOfOtherDatabase.rawValue:
      "Set AUTH_CLI_AUTHORITY and XDG_DATA_HOME as at login. If they are the same, \(run: "logout") says what to delete.",
  ]
}

extension BackendError: CommandFailure {
  package var asCommandError: CommandError {
    switch kind {
    case .invalid, .refused:
      guard let text = ErrorText.of(code, for: values) else {
        // The service is newer than this program.
        return CommandError(.no, code, summary, hint: "Install the same version of both programs.")
      }
      return CommandError(text, values)
    case .notPermitted: return CommandError(code: .notPermitted)
    case .credentials: return CommandError(code: .wrongPassword).beginning(waitBegun)
    case .challenged: return CommandError(code: .codeMissing)
    case .session(.ended(let reason)): return .ended(reason)
    case .session(.superseded): return CommandError(code: .superseded)
    case .notFresh: return CommandError(code: .passwordNotRecent)
    case .throttled(let throttle): return CommandError(throttle)
    case .unavailable(let cause): return CommandError(cause)
    }
  }
}

extension Unavailability: CommandFailure {
  package var asCommandError: CommandError {
    guard let text = ErrorText.of(code, for: values) else {
      let row = ErrorCode(code: code)?.row
      if let row, row.hint != "", !row.message.contains("{") { return row }
      return CommandError(row?.status ?? .cannotTell, code, description.asClause, hint: Hint(hint))
    }
    let error = CommandError(text, values)
    // Only a payment has a third value, its key.
    return code == BackendError.FailureCode.outcomeUnknown.rawValue && values.count < 3
      ? error.withHint("Check whether it was made before you repeat it.") : error
  }
}

extension VaultError: CommandFailure {
  package var asCommandError: CommandError {
    CommandError(code: .sessionFileUnusable, saying: description, hint: Hint(hint))
  }
}

extension VaultEvidence: CommandFailure {
  package var asCommandError: CommandError {
    CommandError(code: .sessionFileCorrupt, saying: description, hint: Hint(hint))
  }
}

extension RestoreFailure: CommandFailure {
  package var asCommandError: CommandError { CommandError(SessionError(self)) }
}

extension ClockError: CommandFailure {
  package var asCommandError: CommandError { CommandError(BackendError(self)) }
}

extension SessionError: CommandFailure {
  package var asCommandError: CommandError {
    switch self {
    case .rejected(let rejection):
      switch rejection.kind {
      case .notLoggedIn, .logoutUnfinished: CommandError(code: .notLoggedIn)
      case .alreadyLoggedIn: CommandError(code: .alreadyLoggedIn)
      case .alreadyInProgress, .renewalInProgress, .renewalsFailed, .logoutInProgress: CommandError(code: .busy)
      // The programs have one store, and keep it.
      case .otherSession, .insideLease, .storeReleased: CommandError(code: .overtaken)
      case .challengeOver: CommandError(code: .challengeOver)
      }
    case .credentialsNotAccepted: CommandError(code: .wrongPassword)
    case .loginRefused(let refusal):
      switch refusal.code {
      case "login_denied": CommandError(code: .loginDenied)
      case "login_foreign": CommandError(code: .loginForeign)
      case _: CommandError(code: .loginExpired)
      }
    case .throttled(let throttle): CommandError(throttle)
    case .unavailable(let cause): CommandError(cause)
    case .notSaved(let failure), .vault(let failure): CommandError(failure)
    case .corrupt(let evidence): CommandError(evidence)
    case .ended(let reason): .ended(reason)
    case .overtaken: CommandError(code: .overtaken)
    case .clock(let failure): CommandError(failure)
    // No command switches users under a lease.
    case .insideLease, .cancelled, .timedOut: CommandError(code: .cancelled)
    }
  }
}

extension FreshnessError: CommandFailure {
  package var asCommandError: CommandError {
    switch self {
    case .passwordNotRecent: CommandError(code: .passwordNotRecent)
    case .ended(let reason): .ended(reason)
    case .clock(let failure): CommandError(failure)
    }
  }
}

extension RoleError: CommandFailure {
  package var asCommandError: CommandError {
    switch self {
    case .notAdministrator(let user): CommandError(code: .notAdministrator, user.username.escaped)
    case .ended(let reason): .ended(reason)
    }
  }
}

extension LeaseError: CommandFailure where Body: CommandFailure {
  package var asCommandError: CommandError {
    switch self {
    case .ended(let reason): .ended(reason)
    case .body(let failure): CommandError(failure)
    }
  }
}

extension AccessError: CommandFailure where Body: CommandFailure {
  package var asCommandError: CommandError {
    switch self {
    case .session(let failure): CommandError(failure)
    case .body(let failure): CommandError(failure)
    }
  }
}
