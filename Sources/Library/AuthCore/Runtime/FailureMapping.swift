extension AuthorityError {
  /// The error for the caller of a command that the authority did not check; nil if it refused.
  var unchecked: SessionError? {
    switch self {
    case .rejected: nil
    case .throttled(let throttle): .throttled(throttle)
    case .unavailable(let cause): .unavailable(cause)
    }
  }
}

extension Unavailability {
  /// The error for the caller of a command that shares the answer to another holder.
  var failure: SessionError {
    if let retryAfter { .throttled(.wait(retryAfter)) } else { .unavailable(self) }
  }
}

extension CredentialsRejection {
  var failure: SessionError {
    switch self {
    case .notAccepted: .credentialsNotAccepted
    case .loginRefused(let refusal): .loginRefused(refusal)
    }
  }
}

extension SessionError {
  package init(_ failure: RestoreFailure) {
    switch failure {
    case .vault(let failure): self = .vault(failure)
    case .corrupt(let evidence): self = .corrupt(evidence)
    case .authority(let cause): self = .unavailable(cause)
    }
  }
}
