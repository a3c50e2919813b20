import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

// The one mapping from errors to refusals, and so to exit statuses. The larger parts of it are not
// inlined, because they are used in many places.

extension CommandError {
  init(_ error: UsageError) {
    self.init(.usage, error.code.rawValue, error.message, hint: Hint(error.hint))
  }

  init(_ failure: PromptError) {
    switch failure {
    case .unreadable: self.init(.cannotTell, failure.code.rawValue, failure.message, hint: Hint(failure.hint))
    case .noTerminal, .cancelled, .timedOut, .tooLong, .containsNUL, .missingLine, .emptyLine, .tooManyLines,
      .alreadyAsking:
      self.init(.usage, failure.code.rawValue, failure.message, hint: Hint(failure.hint))
    }
  }

  init(_ failure: OutputError) {
    self.init(.outputFailed, failure.message, hint: Hint(failure.hint))
  }

  /// The output failed after a command did its work; a change that was made comes first.
  init(_ failure: OutputError, after effect: Answer.Effect) {
    switch effect {
    case .onlyShows: self.init(failure)
    case .changed(let what, let hint):
      self.init(.outputFailed, "\(what); \(failure.message)", hint: hint)
    }
  }

  @inline(never)
  init(_ failure: BackendError) {
    switch failure.kind {
    case .invalid, .refused:
      guard let row = failure.row else {
        // The service is newer than this program.
        self.init(.no, failure.code, failure.description, hint: "Use programs of one version.")
        return
      }
      self.init(ExitStatus(row), failure.code, row.clause(failure.values), hint: Hint(row))
    case .notPermitted:
      self.init(.notPermitted, "only an administrator may do this", hint: "Ask an administrator to do it.")
    case .credentials: self = .wrongPassword
    case .challenged: self = .codeMissing
    case .session(.ended(let reason)): self = .ended(reason)
    case .session(.superseded): self = .superseded
    case .notFresh: self = .notFresh
    case .throttled(let throttle): self.init(throttle)
    case .unavailable(let cause): self.init(cause)
    }
  }

  init(_ throttle: Throttle) {
    switch throttle {
    case .wait(let duration):
      self.init(
        .throttled, "too many wrong passwords, so this one was not checked",
        hint: "Try again in \(Deadlines.wait(duration)).", wait: duration)
    case .locked:
      self.init(
        .locked, "too many wrong passwords: the account is locked",
        hint:
          "Use a recovery code: \(run: "recover", "USER"); or ask an administrator: \(runByOthers: "accounts", "unlock", "USER")"
      )
    }
  }

  @inline(never)
  init(_ cause: Unavailability) {
    let hint: Hint =
      switch cause.code {
      // The hint of the library can name no command.
      case "database_missing": "Register the first account: \(run: "register", "USER"). Or put a backup in its place."
      case _: Hint(cause.hint)
      }
    self.init(.cannotTell, cause.code, cause.description.asClause, hint: hint)
  }

  init(_ failure: VaultError) {
    self.init(.sessionFileUnusable, failure.description.asClause, hint: Hint(failure.hint))
  }

  init(_ evidence: VaultEvidence) {
    self.init(.sessionFileCorrupt, evidence.description.asClause, hint: Hint(evidence.hint))
  }

  init(_ obstacle: RestoreFailure) {
    switch obstacle {
    case .vault(let failure): self.init(failure)
    case .corrupt(let evidence): self.init(evidence)
    case .authority(let cause): self.init(cause)
    }
  }

  init(_ failure: ClockError) {
    self.init(
      .clockUnreadable, failure.description.asClause, hint: Hint(failure.hint))
  }

  @inline(never)
  init(_ failure: SessionError) {
    switch failure {
    case .rejected(let rejection): self.init(rejection)
    case .credentialsNotAccepted: self = .wrongPassword
    case .throttled(let throttle): self.init(throttle)
    case .unavailable(let cause): self.init(cause)
    case .notSaved(let failure), .vault(let failure): self.init(failure)
    case .corrupt(let evidence): self.init(evidence)
    case .ended(let reason): self = .ended(reason)
    case .overtaken:
      self.init(
        .overtaken, "another process changed this session at the same time",
        hint: "Look with \(run: "status"), then try again.")
    case .clock(let failure): self.init(failure)
    case .insideLease, .cancelled:
      // No command switches users under a lease.
      self.init(.cancelled, "the command was cancelled", hint: "Look with \(run: "status").")
    }
  }

  init(_ rejection: SessionError.Rejection) {
    switch rejection {
    case .notLoggedIn, .logoutUnfinished: self = .notLoggedIn
    case .alreadyLoggedIn:
      self.init(.alreadyLoggedIn, "a user is logged in already", hint: "Log out first: \(run: "logout")")
    case .alreadyInProgress, .renewalInProgress, .renewalsFailed, .logoutInProgress:
      self.init(
        .busy, "the session is busy with another request", hint: "Try again; nothing was changed.")
    case .challengeOver:
      self.init(
        .challengeOver, "wrong code too often, or too late: the password is needed again",
        hint: "Begin again. A code that was wrong counts as a wrong password.")
    }
  }

  init(_ refusal: FreshnessError) {
    switch refusal {
    case .passwordNotRecent: self = .notFresh
    case .ended(let reason): self = .ended(reason)
    case .clock(let failure): self.init(failure)
    }
  }

  init(_ refusal: RoleError) {
    switch refusal {
    case .notAdministrator(let user):
      self.init(
        .notPermitted, "\(escaping: user.username) is not an administrator",
        hint: "Only an administrator can do this; the first registered account is one.")
    case .ended(let reason): self = .ended(reason)
    }
  }
}

extension EndReason {
  /// What happened, as it is printed after "auth-cli: ".
  var clause: String { description.asClause }

  /// What to do about it.
  var hint: Hint {
    switch self {
    case .accountDisabled:
      "Logging in does not help until an administrator has enabled it: \(runByOthers: "accounts", "enable", "USER")"
    case .accountDeleted: "The name is not given again. Create another account with: \(run: "register", "USER")"
    case .userAsked, .expired, .revoked, .rebooted, .switchedUser, .storeReleased:
      "Log in again: \(run: "login", "USER")"
    }
  }
}

extension Duration {
  /// Seconds, rounded up.
  var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 && components.seconds < .max ? 1 : 0) }
}

extension String {
  /// The sentence as it is printed after "auth-cli: ": no capital at its head, no full stop at its
  /// end.
  var asClause: String {
    let body = hasSuffix(".") ? String(dropLast()) : self
    let isPlain = body.dropFirst().first.map { $0.isLowercase || $0 == " " } ?? false
    return isPlain ? body.prefix(1).lowercased() + body.dropFirst() : body
  }
}
