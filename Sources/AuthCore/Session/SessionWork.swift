/// What was submitted with the authentication that is about to start.
struct SubmittedCredentials: Sendable {
  let credentials: Credentials
  let limits: LimitRequest
}

extension SessionCore {
  /// Does one effect. Work is an unstructured task that starts at once, on the caller's thread: it outlives whoever asked for it, and
  /// work that never suspends is done when this returns.
  func run(_ effect: Effect, _ turn: VaultTurn?) {
    switch effect {
    case .notify, .closeKeys:
      break  // Done in the step that decided it.
    case .read(let epoch):
      Task.immediate { await read(epoch, turn) }
    case .authenticate(let epoch):
      Task.immediate { await authenticate(epoch) }
    case .reauthenticate(let epoch, let record):
      Task.immediate { await reauthenticate(epoch, record) }
    case .renew(let epoch, let record):
      Task.immediate { await renew(epoch, record) }
    case .save(let epoch, let record):
      Task.immediate { await save(epoch, record, turn) }
    case .exchange(let epoch, let old, let new):
      Task.immediate { await exchange(epoch, old, new, turn) }
    case .confirm(let record):
      Task.immediate { await confirm(record) }
    case .drain(let epoch):
      Task.immediate { await drain(epoch) }
      limitStep(epoch)
    case .revoke(let epoch, let targets, let reason):
      Task.immediate { await revoke(epoch, targets, reason) }
      limitStep(epoch)
    case .erase(let epoch, let targets):
      Task.immediate { await erase(epoch, targets, turn) }
      limitStep(epoch)
    case .forget(let epoch):
      Task.immediate { await forget(epoch, turn) }
      limitStep(epoch)
    case .discard(let record):
      Task.immediate { await discard(record) }
    case .discardSaved(let record):
      Task.immediate { await discardSaved(record, turn) }
    }
  }

  private func onVault<Result>(_ turn: VaultTurn?, _ operation: () async -> Result) async -> Result {
    let turn = turn ?? withLock { VaultTurn.take(&$0.lastVaultOperation) }
    return await turn.run(operation)
  }

  // MARK: Finding out

  private func read(_ epoch: Epoch, _ turn: VaultTurn?) async {
    let outcome = await findOut(epoch, turn)
    send(.restored(epoch, outcome), failure: outcome.failure)
  }

  /// Reads the vault and asks the authority. A superseded token is a reason to read again: another process was faster.
  private func findOut(_ epoch: Epoch, _ turn: VaultTurn?) async -> SessionEvent.Restored {
    var superseded: SessionToken?
    var turn = turn
    while true {
      switch await onVault(turn, { await vault.load() }) {
      case .absent: return .absent
      case .unavailable(let failure): return .obstructed(.vault(failure))
      case .corrupt(let evidence): return .obstructed(.corrupt(evidence))
      case .token(let token):
        guard token != superseded else { return .ended(.revoked, token) }
        do throws(AuthorityFailure<SessionRejection>) {
          return .found(SessionRecord(try await authority.resume(token), began: epoch))
        } catch {
          switch error {
          case .rejected(.ended(let reason)): return .ended(reason, token)
          case .rejected(.superseded): superseded = token
          case .throttled(let throttle): return .obstructed(.authority(throttle.unavailability))
          case .unavailable(let cause): return .obstructed(.authority(cause))
          }
        }
      }
      turn = nil
    }
  }

  // MARK: Beginning and renewing

  private func authenticate(_ epoch: Epoch) async {
    guard let submitted = withLock({ $0.credentials.take() }) else {
      preconditionFailure("credentials are put down in the step that decides the authentication")
    }
    do throws(AuthorityFailure<CredentialsRejection>) {
      let grant = try await authority.authenticate(submitted.credentials, limits: submitted.limits)
      send(.authenticated(epoch, .granted(SessionRecord(grant, began: epoch))))
    } catch {
      send(.authenticated(epoch, .failed), failure: SessionFailure(error))
    }
  }

  private func reauthenticate(_ epoch: Epoch, _ record: SessionRecord) async {
    guard let submitted = withLock({ $0.credentials.take() }) else {
      preconditionFailure("the password is put down in the step that decides its check")
    }
    do throws(AuthorityFailure<ReauthenticationRejection>) {
      let grant = try await authority.reauthenticate(
        record.grant.token, password: submitted.credentials.password, limits: submitted.limits)
      send(.renewed(epoch, .granted(SessionRecord(grant, began: record.began))))
    } catch {
      switch error {
      case .rejected(.notAccepted): send(.renewed(epoch, .failed), failure: .credentialsNotAccepted)
      case .rejected(.session(let rejection)): rejected(epoch, rejection, .overtaken)
      case .throttled(let throttle): send(.renewed(epoch, .failed), failure: .throttled(throttle))
      case .unavailable(let cause): send(.renewed(epoch, .failed), failure: .unavailable(cause))
      }
    }
  }

  private func renew(_ epoch: Epoch, _ record: SessionRecord) async {
    do throws(AuthorityFailure<SessionRejection>) {
      let grant = try await authority.renew(record.grant.token)
      send(.renewed(epoch, .granted(SessionRecord(grant, began: record.began))))
    } catch {
      switch error {
      case .rejected(let rejection): rejected(epoch, rejection, nil)
      case .throttled(let throttle): send(.renewed(epoch, .failed), failure: .throttled(throttle))
      case .unavailable(let cause): send(.renewed(epoch, .failed), failure: .unavailable(cause))
      }
    }
  }

  private func rejected(_ epoch: Epoch, _ rejection: SessionRejection, _ failure: SessionFailure?) {
    switch rejection {
    case .ended(let reason): send(.renewed(epoch, .ended(reason)))
    case .superseded: send(.renewed(epoch, .superseded), failure: failure)
    }
  }

  private func save(_ epoch: Epoch, _ record: SessionRecord, _ turn: VaultTurn?) async {
    let displaced = Locked<SessionToken?>(nil)
    let failure = await onVault(turn) { () -> VaultFailure? in
      if case .token(let token) = await vault.load() { displaced.withLock { $0 = token } }
      do throws(VaultFailure) {
        try await vault.store(record.grant.token)
        return nil
      } catch {
        return error
      }
    }
    if let failure {
      send(.saved(epoch, record, .failed), failure: .notSaved(failure))
      return
    }
    if let token = displaced.withLock({ $0 }), token != record.grant.token {
      await revokeUnawaited(token, .userAsked)
    }
    send(.saved(epoch, record, .done))
  }

  private func exchange(_ epoch: Epoch, _ old: SessionRecord, _ new: SessionRecord, _ turn: VaultTurn?) async {
    let outcome = await onVault(turn) { () -> Result<Bool, VaultFailure> in
      do throws(VaultFailure) {
        return .success(try await vault.replace(old.grant.token, with: new.grant.token))
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(true): send(.saved(epoch, new, .done))
    case .success(false): send(.saved(epoch, new, .superseded), failure: .overtaken)
    case .failure(let failure): send(.saved(epoch, new, .failed), failure: .notSaved(failure))
    }
  }

  private func confirm(_ record: SessionRecord) async {
    // A failure is made up for by the first use of the token, which confirms it too.
    _ = await result { () throws(AuthorityFailure<SessionRejection>) in try await authority.confirm(record.grant.token)
    }
  }

  // MARK: Ending

  private func drain(_ epoch: Epoch) async {
    if let gate = withLock({ $0.gate }) { await gate.drained().valueUncancelled() }
    send(.drained(epoch))
  }

  private func revoke(_ epoch: Epoch, _ targets: Effect.Targets, _ reason: EndReason) async {
    var failures: [Unavailability] = []
    for token in targets.tokens {
      if let failure = await revocation(of: token, reason) { failures.append(failure) }
    }
    send(.revoked(epoch, failures.isEmpty)) { _, inner in
      inner.awaited.causes += failures.map(\.description)
    }
  }

  private func erase(_ epoch: Epoch, _ targets: Effect.Targets, _ turn: VaultTurn?) async {
    let failure = await onVault(turn) { await erasure(of: targets.tokens) }
    finishErasing(epoch, Leftovers(notErased: failure != nil), [failure?.description])
  }

  private func forget(_ epoch: Epoch, _ turn: VaultTurn?) async {
    let (left, causes) = await onVault(turn) { () -> (Leftovers, [String?]) in
      switch await vault.load() {
      case .absent:
        return (.none, [])
      case .token(let token):
        let unrevoked = await revocation(of: token, .userAsked)
        let unerased = await erasure(of: [token])
        return (
          Leftovers(notRevoked: unrevoked != nil, notErased: unerased != nil),
          [unrevoked?.description, unerased?.description]
        )
      case .corrupt(let evidence):
        var unrevoked: Unavailability?
        if let token = evidence.salvaged { unrevoked = await revocation(of: token, .userAsked) }
        let aside = await result { () throws(VaultFailure) in try await vault.setAside() }
        return (
          Leftovers(notRevoked: unrevoked != nil, notErased: aside != nil),
          [unrevoked?.description, aside?.description]
        )
      case .unavailable(let failure):
        return (Leftovers(notRevoked: true, notErased: true), [failure.description])
      }
    }
    finishErasing(epoch, left, causes)
  }

  private func finishErasing(_ epoch: Epoch, _ left: Leftovers, _ causes: [String?]) {
    send(.erased(epoch, left)) { _, inner in
      inner.awaited.causes += causes.compactMap(\.self)
    }
  }

  private func discard(_ record: SessionRecord) async {
    await revokeUnawaited(record.grant.token, .userAsked)
  }

  private func discardSaved(_ record: SessionRecord, _ turn: VaultTurn?) async {
    // Nobody waits for this; a token that stays in the vault is refused at the next launch, because it is revoked here.
    _ = await onVault(turn) { await erasure(of: [record.grant.token]) }
    await revokeUnawaited(record.grant.token, .userAsked)
  }

  /// Revokes where nobody waits for the answer. A failure leaves a token that nothing here holds and that its limits end.
  private func revokeUnawaited(_ token: SessionToken, _ reason: EndReason) async {
    _ = await revocation(of: token, reason)
  }

  private func revocation(of token: SessionToken, _ reason: EndReason) async -> Unavailability? {
    await result { () throws(Unavailability) in try await authority.revoke(token, reason: reason) }
  }

  private func erasure(of tokens: [SessionToken]) async -> VaultFailure? {
    var failure: VaultFailure?
    for token in tokens {
      failure = await result { () throws(VaultFailure) in try await vault.erase(token) } ?? failure
    }
    return failure
  }

  /// The error of an operation, or nil.
  private func result<Value, Failure: Error>(_ operation: () async throws(Failure) -> Value) async -> Failure? {
    do {
      _ = try await operation()
      return nil
    } catch {
      return error
    }
  }
}

extension Effect.Targets {
  var tokens: [SessionToken] { [token, pending].compactMap(\.self) }
}
