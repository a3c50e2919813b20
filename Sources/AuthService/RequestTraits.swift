import AuthBackend

/// What a request takes.
package enum RequestWork: String, Hashable, Sendable, CaseIterable {
  /// A password is hashed, for which the request may wait in a queue.
  case hashes
  /// It may change what others see.
  case writes
  case reads
}

/// What the service and its client must know about a request.
struct RequestTraits: Hashable, Sendable {
  /// What the client may do when the answer was lost.
  enum Effect: Hashable, Sendable {
    /// Its answer is all that matters: send it again, or report that there was none.
    case read
    /// Send it again: it has a key or a token that the client created, or it sets a state.
    case repeatable
    /// Do not send it again.
    case once
  }

  let work: RequestWork
  let effect: Effect
}

extension BackendRequest {
  var traits: RequestTraits {
    switch self {
    case .lookUp, .checkUsername, .checkPassword, .checkForLogins, .profile, .twoStep, .twoStepPolicy, .sessions,
      .earlierPayment, .receipts, .events, .accounts, .account, .registration:
      RequestTraits(work: .reads, effect: .read)
    case .resume: RequestTraits(work: .writes, effect: .read)
    case .answer, .renew, .confirm, .revoke: RequestTraits(work: .writes, effect: .repeatable)
    case .pay(let order, _): RequestTraits(work: .writes, effect: order.key == nil ? .once : .repeatable)
    case .logIn, .reauthenticate, .changePassword: RequestTraits(work: .hashes, effect: .repeatable)
    case .register, .recover: RequestTraits(work: .hashes, effect: .once)
    case .rename, .deleteOwnAccount, .makeRecoveryCodes, .resetPassword, .resetPasswordAsOwner, .beginTwoStep,
      .confirmTwoStep, .endTwoStep, .setTwoStepPolicy, .revokeSession, .endAllSessions, .setDisabled, .unlock,
      .setRole, .deleteAccount, .setRegistration, .registerOther, .noteView:
      RequestTraits(work: .writes, effect: .once)
    }
  }
}
