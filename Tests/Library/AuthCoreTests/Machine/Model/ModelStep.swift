@testable import AuthCore

/// One thing that may happen next.
enum ModelStep {
  /// A caller sends a command; a login or a switch has a user.
  case command(SessionCommand, user: UInt8)
  /// A lease of the live session begins.
  case leaseBegins
  /// A lease ends, in time or after its session.
  case leaseEnds
  /// The effect at this index continues.
  case work(UInt8, ModelChoice)
  /// The time limit of the step under way is reached.
  case timeOut
  /// The deadline of a challenge is reached during other work.
  case deadline
  /// A limit of the session is reached.
  case limit
  /// The authority ended the session, and the holder of a lease was notified.
  case rejection
  /// One of these notices arrives after the end of its subject.
  case late(Late)
  /// Another process, an administrator or a user does something.
  case stranger(Stranger)
  /// A caller gives a command inside a lease, or names the session, or has waited.
  case call(Call)
  /// The process is killed, and another one is launched.
  case crash
  /// The store is released.
  case release

  enum Late: String, CaseIterable {
    case timeOut = "a time limit of a step that has ended fires"
    case limit = "a limit of a past session fires"
    case earlierLimit = "a limit of the session from before its renewal fires"
    case rejection = "the authority refuses an effect of a past session"
    case answer = "an answer to another challenge"
    case cancel = "another challenge is cancelled"
    case logOut = "a logout of a past session"
    case switchUser = "a switch from a past session"
    case reauthenticate = "a password check for a past session"
    case renew = "a renewal of a past session"
    case logOutUser = "a logout of a user whose session is past"
    case strangersLogOut = "a logout of a session of another store"
  }

  /// Commands whose answer depends on the caller.
  enum Call: String, CaseIterable {
    case logOut = "a logout of the session"
    case logOutUser = "a logout of the session's user"
    case logOutInside = "a logout, inside a lease"
    case switchInside = "a switch of users, inside a lease"
    case checkInside = "a check, inside a lease"
    case renewInside = "a renewal, inside a lease"
    case answerInside = "an answer, inside a lease"
    case checkAgain = "a check that waited for its turn"
  }

  enum Stranger: String, CaseIterable {
    case revokes = "the authority ends the session in the vault"
    case logsOut = "another process logs out"
    case renews = "another process renews and exchanges the token"
    case logsIn = "another process logs another user in"
    case replaces = "another process logs another user in, and cannot revoke the session that it replaces"
    case replacesAndEnds = "another process replaces the session without revoking it, and its own session ends"
    case corrupts = "the content of the vault is damaged"
    case removes = "the content of the vault is removed"
  }
}

extension ModelWorld {
  /// All steps that may happen next.
  func steps() -> [ModelStep] {
    var steps: [ModelStep] = []
    steps.reserveCapacity(32)
    if isReleased {
      // A caller who still holds a key may give these.
      let commands: [SessionCommand] = [.session(.check), .session(.renew), .answer]
      return commands.map { .command($0, user: 0) } + stepsOfWork()
    }
    for command in SessionCommand.allCases where mayBegin(command) {
      steps.append(.command(command, user: 0))
      if command == .logIn || command == .session(.switchUser) { steps.append(.command(command, user: 1)) }
    }
    if let gate {
      if gate.isOpen && gate.leases < budget.leases { steps.append(.leaseBegins) }
      if gate.leases > 0 { steps.append(.leaseEnds) }
    }
    steps += stepsOfWork()
    for call in ModelStep.Call.allCases where event(for: call) != nil { steps.append(.call(call)) }
    if budget.releases > 0 { steps.append(.release) }
    if machine.state.kind == .renewing, machine.state.waitingChallenge != nil { steps.append(.deadline) }
    if let session = machine.state.session {
      steps.append(.limit)
      if authority.session(of: session.token).end != nil { steps.append(.rejection) }
    }
    for late in ModelStep.Late.allCases where event(for: late) != nil { steps.append(.late(late)) }
    if budget.strangers > 0 {
      for stranger in ModelStep.Stranger.allCases where may(stranger) { steps.append(.stranger(stranger)) }
    }
    if budget.crashes > 0 { steps.append(.crash) }
    return steps
  }

  /// The steps that do not depend on a store.
  private func stepsOfWork() -> [ModelStep] {
    var steps: [ModelStep] = []
    if isReleased, let gate, gate.leases > 0 { steps.append(.leaseEnds) }
    for index in works.indices {
      for choice in choices(index) { steps.append(.work(UInt8(index), choice)) }
    }
    let isTimed = timer != nil && timer == machine.state.awaitedEpoch
    if isTimed || workInTime != nil && budget.faults > 0 { steps.append(.timeOut) }
    return steps
  }

  private func mayBegin(_ command: SessionCommand) -> Bool {
    if command == .logOut || command == .cancel { return true }
    if command == .logIn || command == .session(.switchUser), budget.logins == 0 { return false }
    return works.count < budget.work
  }

  func choices(_ index: Int) -> [ModelChoice] {
    let work = works[index]
    let mayFail = budget.faults > 0
    let challenged: [ModelChoice] = budget.challenges > 0 ? [.challenged] : []
    switch work.stage {
    case .returning:
      return [.arrives]
    case .waiting:
      if case .drain = work.effect { return gate?.leases ?? 0 == 0 ? [.arrives] : [] }
      guard !works[..<index].contains(where: { $0.isWaitingForVault && $0.effect.vaultUse == .change }) else {
        return []
      }
      if case .read = work.effect { return [.done, .refused] }
      return mayFail ? [.done, .failed] : [.done]
    case .asking:
      switch work.effect {
      case .read: return [.done, .refused]
      case .reauthenticate: return [.done, .refused] + challenged
      case .renew: return [.done, .exchanged, .refused]
      case .authenticate: return (mayFail ? [.done, .refused, .failed] : [.done, .refused]) + challenged
      case .answer: return mayFail ? [.done, .refused, .challenged, .failed] : [.done, .refused, .challenged]
      case .exchange, .drain, .revoke, .erase, .forget, .confirm, .closeKeys, .discard, .discardSaved, .withdraw,
        .notify, .save:
        return mayFail ? [.done, .failed] : [.done]
      }
    }
  }

  private func may(_ stranger: ModelStep.Stranger) -> Bool {
    switch stranger {
    case .revokes, .renews, .logsOut: vault.token.map(authority.isLive) ?? false
    case .logsIn: true
    case .replaces, .replacesAndEnds:
      // This process still holds the session that is replaced, and must end it.
      vault.token.map { authority.isLive($0) && authority.tokens[Int($0)].session == presentSession } ?? false
    case .corrupts, .removes: vault.token != nil
    }
  }

  private var presentSession: UInt8? { machine.state.session.map { authority.tokens[Int($0.token)].session } }

  /// The late notice, if there was a subject for it.
  func event(for late: ModelStep.Late) -> SessionEvent? {
    switch late {
    case .timeOut:
      (timer.map(machine.state.awaits) ?? false ? pastTimer : timer).map { .timedOut($0, leases: 0) }
    case .limit: pastSession.map { .limitReached(authority.record(0, began: $0), .expired(.absolute)) }
    case .earlierLimit: earlierRecord.map { .limitReached($0, .expired(.idle)) }
    case .rejection: pastSession.map { .ended($0, .revoked) }
    case .answer: machine.state.presentChallenge.map { _ in .command(.answer, about: Self.otherChallenge) }
    case .cancel: machine.state.presentChallenge.map { _ in .command(.cancel, about: Self.otherChallenge) }
    case .logOut: pastSession.map { .command(.logOut, about: .session($0)) }
    case .switchUser: pastSession.map { .command(.session(.switchUser), about: .session($0)) }
    case .reauthenticate: pastSession.map { .command(.session(.reauthenticate), about: .session($0)) }
    case .renew: pastSession.map { .command(.session(.renew), about: .session($0)) }
    case .logOutUser:
      machine.state.session.map { session in
        let other = ModelAuthority.names.first { $0 != session.grant.user.username } ?? ""
        return .command(.logOut, about: .user(UserID(rawValue: other)))
      }
    case .strangersLogOut: machine.state.session.map { _ in .command(.logOut, about: .nobody) }
    }
  }

  /// The command of a caller, if there is one.
  func event(for call: ModelStep.Call) -> SessionEvent? {
    let isInside = gate?.leases ?? 0 > 0
    let inside = CommandCaller(isInsideLease: true)
    let session = machine.state.session.map { CommandSubject.session($0.began) }
    return switch call {
    case .logOut: session.map { .command(.logOut, about: $0) }
    case .logOutUser: machine.state.session.map { .command(.logOut, about: .user($0.grant.user.id)) }
    case .logOutInside: isInside ? .command(.logOut, by: inside) : nil
    case .switchInside: isInside ? .command(.session(.switchUser), about: session ?? .nobody, by: inside) : nil
    case .checkInside: isInside && mayBegin(.session(.check)) ? .command(.session(.check), by: inside) : nil
    case .renewInside:
      isInside && mayBegin(.session(.renew))
        ? .command(.session(.renew), about: session ?? .nobody, by: inside) : nil
    case .answerInside:
      isInside && mayBegin(.answer)
        ? machine.state.presentChallenge.map { .command(.answer, about: .challenge($0.token), by: inside) } : nil
    case .checkAgain:
      // Its call preceded all work.
      mayBegin(.session(.check))
        ? .command(.session(.check), by: CommandCaller(since: Epoch(number: 0))) : nil
    }
  }

  /// The token of a challenge that is not the current one.
  static let otherChallenge = CommandSubject.challenge(SessionToken(bytes: [255]))

  /// A record of the current session with another token.
  private var earlierRecord: SessionRecord? {
    guard let present = machine.state.session else { return nil }
    let tokens = authority.tokens
    let other = tokens.indices.first {
      UInt8($0) != present.token && tokens[$0].session == tokens[Int(present.token)].session
    }
    return other.map { authority.record(UInt8($0), began: present.began) }
  }

  /// The epoch of an earlier session.
  private var pastSession: Epoch? {
    lastBegan.flatMap { $0 == machine.state.session?.began ? nil : $0 }
  }
}
