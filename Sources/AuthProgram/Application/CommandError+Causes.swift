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
    self.init(failure.code.row.status, failure.code.rawValue, failure.message, hint: Hint(failure.hint))
  }

  init(_ failure: OutputError) {
    self.init(code: .outputFailed, saying: failure.message, hint: Hint(failure.hint))
  }

  /// The output failed after a command did its work; a change that was made comes first.
  init(_ failure: OutputError, after effect: Answer.Effect) {
    switch effect {
    case .onlyShows: self.init(failure)
    case .changed(let what, let hint):
      self.init(code: .outputFailed, saying: "\(what); \(failure.message)", hint: hint)
    }
  }

  @inline(never)
  init(_ failure: BackendError) {
    switch failure.kind {
    case .invalid, .refused:
      guard let row = ErrorRow.of(failure.code) else {
        // The service is newer than this program.
        self.init(.no, failure.code, failure.description, hint: "Use programs of one version.")
        return
      }
      let (message, hint) = row.filled(failure.values)
      self.init(row.status, failure.code, message, hint: hint)
    case .notPermitted:
      self.init(code: .notPermitted)
    case .credentials: self.init(code: .wrongPassword)
    case .challenged: self.init(code: .codeMissing)
    case .session(.ended(let reason)): self = .ended(reason)
    case .session(.superseded): self.init(code: .superseded)
    case .notFresh: self.init(code: .passwordNotRecent)
    case .throttled(let throttle): self.init(throttle)
    case .unavailable(let cause): self.init(cause)
    }
  }

  @inline(never)
  init(_ cause: Unavailability) {
    let (message, hint) = cause.words
    self.init(.cannotTell, cause.code, message, hint: hint)
  }

  init(_ failure: VaultError) {
    self.init(code: .sessionFileUnusable, saying: failure.description, hint: Hint(failure.hint))
  }

  init(_ evidence: VaultEvidence) {
    self.init(code: .sessionFileCorrupt, saying: evidence.description, hint: Hint(evidence.hint))
  }

  init(_ obstacle: RestoreFailure) {
    switch obstacle {
    case .vault(let failure): self.init(failure)
    case .corrupt(let evidence): self.init(evidence)
    case .authority(let cause): self.init(cause)
    }
  }

  init(_ failure: ClockError) {
    self.init(BackendError(failure))
  }

  @inline(never)
  init(_ failure: SessionError) {
    switch failure {
    case .rejected(let rejection): self.init(rejection)
    case .credentialsNotAccepted: self.init(code: .wrongPassword)
    case .throttled(let throttle): self.init(throttle)
    case .unavailable(let cause): self.init(cause)
    case .notSaved(let failure), .vault(let failure): self.init(failure)
    case .corrupt(let evidence): self.init(evidence)
    case .ended(let reason): self = .ended(reason)
    case .overtaken: self.init(code: .overtaken)
    case .clock(let failure): self.init(failure)
    // No command switches users under a lease.
    case .insideLease, .cancelled: self.init(code: .cancelled)
    }
  }

  init(_ rejection: SessionError.Rejection) {
    switch rejection {
    case .notLoggedIn, .logoutUnfinished: self.init(code: .notLoggedIn)
    case .alreadyLoggedIn: self.init(code: .alreadyLoggedIn)
    case .alreadyInProgress, .renewalInProgress, .renewalsFailed, .logoutInProgress: self.init(code: .busy)
    case .challengeOver: self.init(code: .challengeOver)
    }
  }

  init(_ refusal: FreshnessError) {
    switch refusal {
    case .passwordNotRecent: self.init(code: .passwordNotRecent)
    case .ended(let reason): self = .ended(reason)
    case .clock(let failure): self.init(failure)
    }
  }

  init(_ refusal: RoleError) {
    switch refusal {
    case .notAdministrator(let user): self.init(code: .notAdministrator, user.username.escaped)
    case .ended(let reason): self = .ended(reason)
    }
  }
}

extension EndReason {
  /// What happened, as it is printed after "auth-cli: ".
  var clause: String { description.asClause }
}

extension Duration {
  /// Seconds, rounded up.
  var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 && components.seconds < .max ? 1 : 0) }
}
