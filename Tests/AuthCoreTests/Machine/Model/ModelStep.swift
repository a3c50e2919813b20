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
  /// The process is killed, and another one is launched.
  case crash

  enum Late: String, CaseIterable {
    case timeOut = "a time limit of a step that has ended fires"
    case limit = "a limit of a past session fires"
    case earlierLimit = "a limit of the session from before its renewal fires"
    case rejection = "the authority refuses an effect of a past session"
    case answer = "an answer to another challenge"
    case cancel = "another challenge is cancelled"
  }

  enum Stranger: String, CaseIterable {
    case revokes = "the authority ends the session in the vault"
    case logsOut = "another process logs out"
    case renews = "another process renews and exchanges the token"
    case logsIn = "another process logs another user in"
    case corrupts = "the content of the vault is damaged"
    case removes = "the content of the vault is removed"
  }
}

extension ModelWorld {
  /// All steps that may happen next.
  func steps() -> [ModelStep] {
    var steps: [ModelStep] = []
    steps.reserveCapacity(32)
    for command in SessionCommand.allCases where mayBegin(command) {
      steps.append(.command(command, user: 0))
      if command == .logIn || command == .session(.switchUser) { steps.append(.command(command, user: 1)) }
    }
    if let gate {
      if gate.isOpen && gate.leases < budget.leases { steps.append(.leaseBegins) }
      if gate.leases > 0 { steps.append(.leaseEnds) }
    }
    for index in works.indices {
      for choice in choices(index) { steps.append(.work(UInt8(index), choice)) }
    }
    let isTimed = timer != nil && timer == machine.state.awaitedEpoch
    if isTimed || workInTime != nil && budget.faults > 0 { steps.append(.timeOut) }
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
    case .corrupts, .removes: vault.token != nil
    }
  }

  /// The late notice, if there was a subject for it.
  func event(for late: ModelStep.Late) -> SessionEvent? {
    switch late {
    case .timeOut:
      (timer.map(machine.state.awaits) ?? false ? pastTimer : timer).map { .timedOut($0, leases: 0) }
    case .limit: pastSession.map { .limitReached(authority.record(0, began: $0), .expired(.absolute)) }
    case .earlierLimit: earlierRecord.map { .limitReached($0, .expired(.idle)) }
    case .rejection: pastSession.map { .ended($0, .revoked) }
    case .answer: machine.state.presentChallenge.map { _ in .command(.answer, Self.otherChallenge) }
    case .cancel: machine.state.presentChallenge.map { _ in .command(.cancel, Self.otherChallenge) }
    }
  }

  /// The token of a challenge that is not the current one.
  static let otherChallenge = SessionToken(bytes: [255])

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
