@testable import AuthCore

/// The shipped machine with a model of its environment: the store, the vault, the authority, other
/// processes and failures.
///
/// It handles a reaction as ``SessionCore`` does, but each part of it can happen at any time that
/// the protocols permit.
struct ModelWorld {
  var machine = SessionMachine()
  var authority = ModelAuthority()
  var vault = ModelVault()
  var gate: ModelGate?
  /// The awaited commands: the shipped value, which decides what a state settles.
  var awaited = Awaited()
  var works: [ModelWork] = []
  var budget: ModelBudget
  /// The last step with a time limit, and the one before.
  var timer: Epoch?
  var pastTimer: Epoch?
  /// The epoch of the last active session.
  var lastBegan: Epoch?
  /// The token of the last ended session, until the next one begins.
  var lastEnded: UInt8?
  /// Tokens that were erased from the vault but not revoked; the store retries at the next
  /// `forget`.
  var unrevoked: [UInt8] = []
  /// Whether the store was released.
  var isReleased = false

  /// The events before the exploration begins.
  var prologue = "launch, and the vault is empty"

  init(_ budget: ModelBudget = ModelBudget()) {
    self.budget = budget
  }

  // MARK: Steps

  mutating func take(_ step: ModelStep, _ judge: ModelJudge) {
    switch step {
    case .command(let command, let user):
      if command == .logIn || command == .session(.switchUser) {
        guard send(event(command), user: user, judge) else { return }
        budget.logins -= 1
      } else {
        _ = send(event(command), isFailure: command == .cancel, user: machineUser, judge)
      }
    case .leaseBegins: gate?.leases += 1
    case .leaseEnds: gate?.leases -= 1
    case .work(let index, let choice): proceed(Int(index), choice, judge)
    case .timeOut: timeOut(judge)
    case .deadline: if let timer { send(.timedOut(timer, leases: 0), judge) }
    case .limit: if let session = machine.state.session { send(.limitReached(session, .expired(.idle)), judge) }
    case .rejection:
      if let session = machine.state.session {
        send(.ended(session.began, authority.session(of: session.token).end ?? .revoked), judge)
      }
    case .late(let late): if let event = event(for: late) { send(event, judge) }
    case .stranger(let stranger): act(stranger)
    case .call(let call): if let event = event(for: call) { send(event, user: machineUser, judge) }
    case .crash: crash()
    case .release: release(judge)
    }
    if agreesWithDisk { vault.difference = .none }
    judge.inspect(self)
  }

  /// The step for which the machine waits takes too long, so its result will be stale.
  private mutating func timeOut(_ judge: ModelJudge) {
    let leases = Int(gate?.leases ?? 0)
    if let index = workInTime, let event = works[index].effect.overdue(leases: leases) {
      works[index].isOverdue = true
      budget.faults -= 1
      send(event, isFailure: true, judge)
    } else if let timer {
      send(.timedOut(timer, leases: leases), judge)
    }
  }

  /// The work for which the machine waits, while it is undecided and reaching its limit would be a
  /// failure.
  var workInTime: Int? {
    guard machine.state.kind != .loggingOut, let epoch = machine.state.awaitedEpoch else { return nil }
    return works.firstIndex { $0.epoch == epoch && !$0.isOverdue && !$0.isReturning }
  }

  private func event(_ command: SessionCommand) -> SessionEvent {
    switch command {
    case .answer, .cancel:
      .command(
        command, about: machine.state.presentChallenge.map { .challenge($0.token) } ?? Self.otherChallenge)
    case .session(.renew), .session(.reauthenticate), .session(.switchUser):
      .command(command, about: machine.state.session.map { .session($0.began) } ?? .nobody)
    case .restore, .logIn, .session(.check), .logOut: .command(command)
    }
  }

  private var machineUser: UInt8 {
    machine.state.session.map { authority.session(of: $0.token).user } ?? 0
  }

  private var agreesWithDisk: Bool {
    switch machine.state {
    case .loggedIn(let state): vault.token == state.session.token
    case .loggedOut: vault.content == .empty
    case .restoring, .authenticating, .challenged, .renewing, .loggingOut: false
    }
  }

  // MARK: The store's handling of a reaction

  @discardableResult
  mutating func send(_ event: SessionEvent, isFailure: Bool = false, user: UInt8 = 0, _ judge: ModelJudge) -> Bool {
    let before = machine
    let reaction = judge.handle(&machine, event)
    judge.judge(before, event, reaction, self)
    if case .command(let command, _, let caller) = event { wait(for: command, reaction, caller) }
    guard case .transition(let effects) = reaction else {
      start(reaction.effects, user, judge)
      return false
    }
    let (old, new) = (before.state.session, machine.state.session)
    if effects.contains(where: { $0.kind == .closeKeys }) { gate?.isOpen = false }
    if let new, old?.began != new.began { gate = ModelGate(isOpen: !isReleased) }
    if let old, old.began != new?.began { (lastBegan, lastEnded) = (old.began, old.token) }
    if new != nil { lastEnded = nil }
    // The user gets time to answer; a command that keeps the challenge gives no more of it.
    if machine.state.waitsForPerson, let epoch = machine.state.awaitedEpoch, epoch != timer {
      (timer, pastTimer) = (epoch, timer)
    }
    let hasFailed = isFailure && before.state.awaitedEpoch != machine.state.awaitedEpoch
    for settlement in awaited.settle(machine.state, machine.state.key, hasFailed ? .overtaken : nil) {
      judge.judge(settlement, self)
    }
    start(effects, user, judge)
    return true
  }

  private mutating func wait(for command: SessionCommand, _ reaction: Reaction, _ caller: CommandCaller) {
    switch command {
    case .restore: if reaction.isTransition { _ = Awaited.begin(&awaited.restore) }
    case .logOut: if reaction.isTransition { _ = Awaited.begin(&awaited.logout) }
    case .logIn: if reaction.isTransition { _ = Awaited.begin(&awaited.work) }
    case .session, .answer: _ = awaited.wait(after: reaction, caller)
    case .cancel: break
    }
  }

  private mutating func start(_ effects: [Effect], _ user: UInt8, _ judge: ModelJudge) {
    for effect in effects {
      judge.judgeStart(of: effect, self)
      if effect.kind == .notify || effect.kind == .closeKeys { continue }
      if case .timedOut(let epoch, _) = effect.overdue(leases: 0) { (timer, pastTimer) = (epoch, timer) }
      works.append(ModelWork(effect, user: user))
    }
  }

  // MARK: Events

  /// Only writes that have reached the vault survive.
  private mutating func crash() {
    budget.crashes -= 1
    let kept = vault.token.map { Int(authority.tokens[Int($0)].session) }
    for session in authority.sessions.indices where session != kept { authority.sessions[session].isExcused = true }
    for step in authority.steps.indices { authority.steps[step].isExcused = true }
    var next = ModelWorld(budget)
    (next.authority, next.vault, next.prologue) = (authority, vault, prologue)
    self = next
  }

  private mutating func release(_ judge: ModelJudge) {
    budget.releases -= 1
    isReleased = true
    send(.released, judge)
    for settlement in awaited.abandon() { judge.judge(settlement, self) }
  }

  private mutating func act(_ stranger: ModelStep.Stranger) {
    budget.strangers -= 1
    let kept = vault.token
    switch stranger {
    case .revokes:
      if let kept { authority.end(kept, .revoked) }
      return
    case .logsOut:
      guard let kept else { return }
      authority.end(kept, .userAsked)
      erase([SessionToken(bytes: [kept])])
    case .renews:
      guard let kept else { return }
      authority.use(kept)
      let token = authority.exchange(kept)
      keep(token)
      authority.use(token)
    case .logsIn:
      if let kept { authority.end(kept, .userAsked) }
      keep(authority.begin(for: kept.map { 1 - authority.session(of: $0).user } ?? 0))
    case .replaces, .replacesAndEnds:
      guard let kept else { return }
      let other = authority.begin(for: 1 - authority.session(of: kept).user)
      keep(other)
      if stranger == .replacesAndEnds { authority.end(other, .revoked) }
    case .corrupts:
      if let kept { authority.excuse(kept) }
      vault.content = .corrupt
    case .removes:
      if let kept { authority.excuse(kept) }
      vault.content = .empty
    }
    vault.difference = .foreign
  }

  mutating func keep(_ token: UInt8) {
    vault.content = .token(token)
    authority.tokens[Int(token)].wasKept = true
  }
}

extension SessionState {
  /// Whether the state waits for the user, until the deadline of the challenge.
  var waitsForPerson: Bool {
    if case .challenged(let state) = self { state.step == .waiting } else { false }
  }
}
