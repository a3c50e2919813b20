import AuthBackend

/// What the service and its client must know about a request.
struct RequestTraits: Hashable, Sendable {
  enum Work: Hashable, Sendable {
    /// A password is hashed, for which the request may wait in a queue.
    case hashes
    /// It may change what others see.
    case writes
    case reads
  }

  /// What the client may do when the answer was lost.
  enum Effect: Hashable, Sendable {
    /// Its answer is all that matters: send it again, or report that there was none.
    case read
    /// Send it again: it has a key or a token that the client created, or it sets a state.
    case repeatable
    /// Do not send it again.
    case once
  }

  let work: Work
  let effect: Effect

  private init(_ work: Work, _ effect: Effect) {
    (self.work, self.effect) = (work, effect)
  }

  init(of request: BackendRequest) {
    switch request {
    case .lookUp, .checkUsername, .checkPassword, .checkForLogins, .profile, .twoStep, .twoStepPolicy, .sessions,
      .earlierPayment, .receipts, .events, .accounts, .account, .registration:
      self.init(.reads, .read)
    case .resume: self.init(.writes, .read)
    case .answer, .renew, .confirm, .revoke: self.init(.writes, .repeatable)
    case .pay(let order, _): self.init(.writes, order.key == nil ? .once : .repeatable)
    case .logIn, .reauthenticate, .changePassword: self.init(.hashes, .repeatable)
    case .register, .recover: self.init(.hashes, .once)
    case .rename, .deleteOwnAccount, .makeRecoveryCodes, .resetPassword, .resetPasswordAsOwner, .beginTwoStep,
      .confirmTwoStep, .endTwoStep, .setTwoStepPolicy, .revokeSession, .endAllSessions, .setDisabled, .unlock,
      .setRole, .deleteAccount, .setRegistration, .registerOther, .noteView:
      self.init(.writes, .once)
    }
  }
}

extension BackendRequest {
  var traits: RequestTraits { RequestTraits(of: self) }
}
