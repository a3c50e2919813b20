@testable import AuthCore

// The progress of effects: the requests of the shipped store to the vault and the authority, one at
// a time.
extension ModelWorld {
  mutating func proceed(_ index: Int, _ choice: ModelChoice, _ judge: ModelJudge) {
    if choice == .failed { budget.faults -= 1 }
    switch works[index].stage {
    case .returning(let event, let isFailure):
      works.remove(at: index)
      send(event, isFailure: isFailure, judge)
    case .waiting: operate(index, works[index], choice, judge)
    case .asking: ask(index, works[index], choice)
    }
  }

  private mutating func finish(_ index: Int, _ event: SessionEvent, isFailure: Bool = false) {
    works[index].stage = .returning(event, isFailure: isFailure)
  }

  private mutating func ask(_ index: Int, about token: UInt8?, hasFailed: Bool = false) {
    (works[index].stage, works[index].token, works[index].hasFailed) = (.asking, token, hasFailed)
  }

  // MARK: At the vault

  private mutating func operate(_ index: Int, _ work: ModelWork, _ choice: ModelChoice, _ judge: ModelJudge) {
    switch work.effect {
    case .read(let epoch):
      if choice == .refused { return obstruct(index, epoch, .vault(VaultError("unreadable"))) }
      switch vault.content {
      case .empty: finish(index, .restored(epoch, .absent))
      case .corrupt: obstruct(index, epoch, .corrupt(VaultEvidence("damaged", hint: "")))
      case .token(let kept) where kept == work.token:
        finish(index, .restored(epoch, .ended(.revoked, SessionToken(bytes: [kept]))))
      case .token(let kept):
        ask(index, about: kept)
        send(.recognized(epoch, authority.lastKnown(kept)), judge)
      }
    case .save where work.isOverdue, .exchange where work.isOverdue:
      // The failure was reported; a write that takes effect is undone in the same turn of the
      // queue.
      works.remove(at: index)
    case .save(let epoch, let grant), .exchange(let epoch, _, let grant):
      let (token, displaced) = (grant.token, vault.token)
      if choice == .failed { return finish(index, .saved(epoch, token, .failed), isFailure: true) }
      if case .exchange(_, let old, _) = work.effect, displaced != old.number {
        return finish(index, .saved(epoch, token, .superseded), isFailure: true)
      }
      judge.judgeWrite(of: token.number, self)
      keep(token.number)
      finish(index, .saved(epoch, token, .done))
      if case .save = work.effect, let displaced, displaced != token.number {
        works.append(ModelWork(.discard(SessionToken(bytes: [displaced]))))
      }
    case .erase(let epoch, let targets):
      if choice == .done { erase(targets.tokens) }
      finish(index, .erased(epoch, IncompleteCleanup(notErased: choice == .failed)))
    case .forget(let epoch): forget(index, work, epoch, choice)
    case .discardSaved(let token):
      if choice == .done {
        erase([token])
      } else if vault.token == token.number {
        vault.difference = .unreported
      }
      ask(index, about: token.number)
    case .drain(let epoch):
      works.remove(at: index)
      send(.drained(epoch), judge)
    case .authenticate, .reauthenticate, .answer, .renew, .revoke, .confirm, .closeKeys, .discard, .withdraw, .notify:
      preconditionFailure("waits for nothing")
    }
  }

  private mutating func obstruct(_ index: Int, _ epoch: Epoch, _ obstacle: RestoreFailure) {
    finish(index, .restored(epoch, .obstructed(obstacle)), isFailure: true)
  }

  mutating func erase(_ tokens: [SessionToken]) {
    for token in tokens {
      authority.sessions[Int(authority.tokens[Int(token.number)].session)].isErased = true
      if vault.token == token.number { vault.content = .empty }
    }
  }

  /// Reads the vault, then revokes the found token and earlier unrevoked ones, then erases the
  /// found token.
  private mutating func forget(_ index: Int, _ work: ModelWork, _ epoch: Epoch, _ choice: ModelChoice) {
    guard let token = work.token else {
      guard choice == .done else {
        return finish(index, .erased(epoch, IncompleteCleanup(notRevoked: true, notErased: true)))
      }
      if vault.content == .corrupt {
        toTheEnd(index, Self.nothing)
      } else if vault.token != nil || !unrevoked.isEmpty {
        ask(index, about: vault.token)
      } else {
        finish(index, .erased(epoch, .none))
      }
      return
    }
    if choice == .done {
      if token != Self.nothing {
        erase([SessionToken(bytes: [token])])
      } else if vault.content == .corrupt {
        vault.content = .empty
      }
    }
    finish(index, .erased(epoch, IncompleteCleanup(notRevoked: work.hasFailed, notErased: choice == .failed)))
  }

  /// A placeholder for a token if there is none to erase.
  static let nothing: UInt8 = 255

  /// Moves work to the end of the vault queue.
  private mutating func toTheEnd(_ index: Int, _ token: UInt8, hasFailed: Bool = false) {
    var work = works.remove(at: index)
    (work.stage, work.token, work.hasFailed) = (.waiting, token, hasFailed)
    works.append(work)
  }

  // MARK: At the authority

  private mutating func ask(_ index: Int, _ work: ModelWork, _ choice: ModelChoice) {
    switch work.effect {
    case .authenticate(let epoch):
      if choice == .challenged {
        budget.challenges -= 1
        return finish(index, .answered(epoch, .challenged(authority.challenge(work.user))))
      }
      guard choice == .done else {
        if choice == .failed { authority.excuse(authority.begin(for: work.user)) }
        return finish(index, .answered(epoch, .failed), isFailure: true)
      }
      let token = authority.begin(for: work.user)
      finish(index, .answered(epoch, .granted(authority.grant(token))))
    case .read(let epoch):
      guard let token = work.token else { preconditionFailure("reads the vault first") }
      resume(index, epoch, token, choice)
    case .answer(let epoch, let challenge, let record): answer(index, epoch, challenge, record, choice)
    case .withdraw(let challenge):
      let step = Int(challenge.token.number)
      if choice == .failed { authority.steps[step].isExcused = true } else { authority.steps[step].isOpen = false }
      works.remove(at: index)
    case .reauthenticate(let epoch, let record):
      renew(index, epoch, record, choice == .done ? .exchanged : choice, isPassword: true)
    case .renew(let epoch, let record): renew(index, epoch, record, choice, isPassword: false)
    case .forget:
      for token in unrevoked + [work.token].compactMap(\.self) { revoke(token, choice) }
      if choice == .done { unrevoked = [] } else if let token = work.token { unrevoked.append(token) }
      toTheEnd(index, work.token ?? Self.nothing, hasFailed: choice == .failed)
    case .revoke(let epoch, let targets, _):
      revoke(work.token ?? targets.token.number, choice)
      let hasFailed = work.hasFailed || choice == .failed
      if let pending = targets.pending?.number, pending != work.token {
        return ask(index, about: pending, hasFailed: hasFailed)
      }
      finish(index, .revoked(epoch, !hasFailed))
    case .confirm(let record):
      if choice == .failed {
        authority.tokens[Int(record.token)].isConfirmationMissing = true
      } else if authority.isLive(record.token) {
        authority.use(record.token)
      }
      works.remove(at: index)
    case .discard(let token), .discardSaved(let token):
      revoke(token.number, choice)
      works.remove(at: index)
    case .save, .exchange, .erase, .drain, .closeKeys, .notify: preconditionFailure("does not ask the authority")
    }
  }

  private mutating func revoke(_ token: UInt8, _ choice: ModelChoice) {
    if choice == .failed { authority.excuse(token) } else { authority.end(token, .userAsked) }
  }

  private mutating func resume(_ index: Int, _ epoch: Epoch, _ token: UInt8, _ choice: ModelChoice) {
    if choice == .refused { return obstruct(index, epoch, .authority(Unavailability(.unreachable, "no answer"))) }
    if let reason = authority.session(of: token).end {
      return finish(index, .restored(epoch, .ended(reason, SessionToken(bytes: [token]))))
    }
    guard !authority.tokens[Int(token)].isSuperseded else {
      return toTheEnd(index, token)
    }
    authority.use(token)
    finish(index, .restored(epoch, .found(authority.grant(token, isResumed: true))))
  }

  private mutating func answer(
    _ index: Int, _ epoch: Epoch, _ challenge: Challenge, _ record: SessionRecord?, _ choice: ModelChoice
  ) {
    if let record, let reason = authority.session(of: record.token).end {
      return finish(index, .answered(epoch, .ended(reason)))
    }
    let step = Int(challenge.token.number)
    let again = SessionEvent.answered(epoch, .challenged(challenge))
    guard authority.steps[step].isOpen, choice != .refused else {
      authority.steps[step].isOpen = false
      return finish(index, .answered(epoch, .failed), isFailure: true)
    }
    if choice == .challenged { return finish(index, again) }
    authority.steps[step].isOpen = false
    if choice == .failed {
      // The correct answer arrives, and the grant is lost on the way back.
      if record == nil { authority.excuse(authority.begin(for: authority.steps[step].user)) }
      return finish(index, again, isFailure: true)
    }
    if let record { return renew(index, epoch, record, .exchanged, isPassword: true) }
    let token = authority.begin(for: authority.steps[step].user)
    finish(index, .answered(epoch, .granted(authority.grant(token))))
  }

  private mutating func renew(
    _ index: Int, _ epoch: Epoch, _ record: SessionRecord, _ choice: ModelChoice, isPassword: Bool
  ) {
    let token = record.token
    if choice == .refused { return finish(index, .answered(epoch, .failed), isFailure: true) }
    if let reason = authority.session(of: token).end { return finish(index, .answered(epoch, .ended(reason))) }
    guard !authority.tokens[Int(token)].isSuperseded else {
      return finish(index, .answered(epoch, .superseded), isFailure: isPassword)
    }
    authority.use(token)
    if choice == .challenged {
      budget.challenges -= 1
      let challenge = authority.challenge(authority.session(of: token).user, asking: token)
      return finish(index, .answered(epoch, .challenged(challenge)))
    }
    let next = choice == .exchanged ? authority.exchange(token) : token
    finish(index, .answered(epoch, .granted(authority.grant(next))))
  }
}
