@testable import AuthCore

/// Hashes a world, so that two worlds that differ only in numbers have the same hash.
///
/// Tokens, sessions and users are numbered in the order in which they appear, starting with the
/// machine. An epoch is encoded as the part of the machine to which it is equal. Unreferenced
/// values are omitted.
struct ModelEncoder {
  fileprivate var hasher = Hasher()
  private let authority: ModelAuthority
  private var tokens: [UInt8] = []
  private var steps: [UInt8] = []
  private var sessions: [UInt8] = []
  private var users: [UInt8] = []
  private var epochs: [Epoch] = []
  /// Whether an epoch without a number gets one: only those of the machine do.
  private var isMachine = true

  fileprivate static let none: UInt8 = 254

  static func hash(of world: borrowing ModelWorld) -> Int {
    var encoder = ModelEncoder(authority: world.authority)
    encoder.write(world.machine.state)
    encoder.write(world.isReleased)
    encoder.isMachine = false
    encoder.write(world)
    encoder.write(world.works)
    encoder.writeAuthority()
    return encoder.hasher.finalize()
  }

  private init(authority: ModelAuthority) { self.authority = authority }

  // MARK: Names

  // Inlined: without it, the deep check takes half as long again.
  @inline(__always)
  fileprivate mutating func write<each Part: ModelPart>(_ part: repeat each Part) {
    repeat (each part).write(to: &self)
  }

  fileprivate mutating func write(token: UInt8?) { hasher.combine(token.map { tokens.number(of: $0) } ?? Self.none) }

  fileprivate mutating func write(challenge: UInt8) { hasher.combine(steps.number(of: challenge)) }

  fileprivate mutating func write(user: UInt8) { hasher.combine(users.number(of: user)) }

  /// Writes an epoch of the machine, or one from outside: equal to one of the machine's, or
  /// different.
  fileprivate mutating func write(epoch: Epoch) {
    hasher.combine(isMachine || epochs.contains(epoch) ? epochs.number(of: epoch) : Self.none)
  }

  // MARK: The machine

  private mutating func write(_ state: SessionState) {
    write(state.kind)
    switch state {
    case .restoring(let state): write(state.reading, state.obstacle, state.previously, state.lastKnown)
    case .loggedOut(let state): write(state)
    case .authenticating(let state): write(state.epoch, state.saving, state.from)
    case .challenged(let state): write(state.step, state.challenge, state.epoch, state.from)
    case .loggedIn(let state): write(state.session, state.predecessor)
    case .renewing(let state): write(state.session, state.purpose, state.epoch, state.step, state.beside)
    case .loggingOut(let state):
      write(state.step, state.epoch, state.reason, state.targets, state.revoking, state.sweeping, state.successor)
      write(state.leftovers)
    }
  }

  /// The fields of each state that ``write(_:)`` encodes.
  ///
  /// A new field does not compile here. Encode it above first: otherwise the check treats two
  /// worlds that differ only in this field as one, and no test would notice.
  private static let written = (
    Restoring.init(reading:obstacle:previously:lastKnown:), LoggedOut.init(reason:leftovers:targets:sweeping:),
    Authenticating.init(epoch:saving:from:), Challenged.init(challenge:epoch:step:from:),
    LoggedIn.init(session:predecessor:), Renewing.init(session:purpose:epoch:step:beside:),
    LoggingOut.init(epoch:step:reason:targets:sweeping:revoking:successor:leftovers:)
  )

  // MARK: Its environment

  private mutating func write(_ world: borrowing ModelWorld) {
    hasher.combine(world.vault.content == .corrupt)
    write(token: world.vault.token)
    hasher.combine(world.vault.difference)
    hasher.combine(world.gate ?? ModelGate(isOpen: false))
    let awaited = world.awaited
    write(awaited.restore != nil, awaited.work != nil, awaited.logout != nil, awaited.failure != nil)
    write(awaited.leasedWork != nil, awaited.turn != nil)
    write(world.timer.map(world.machine.state.awaits) ?? false)
    hasher.combine(world.unrevoked.count)
    for token in world.unrevoked { write(token: token) }
    write(token: world.lastEnded)
  }

  /// The vault queue has an order, everything else has none.
  private mutating func write(_ works: [ModelWork]) {
    hasher.combine(works.count)
    for work in works where work.isWaitingForVault { write(work) }
    hasher.combine(Self.none)
    let others = works.filter { !$0.isWaitingForVault }
    for work in others.sorted(by: { hash(with: $0) < hash(with: $1) }) { write(work) }
  }

  private func hash(with work: ModelWork) -> Int {
    var encoder = self
    encoder.write(work)
    return encoder.hasher.finalize()
  }

  private mutating func write(_ work: ModelWork) {
    let tokens = work.effect.tokens
    hasher.combine(work.effect.kind)
    hasher.combine(tokens.count)
    write(work.isOverdue, work.epoch)
    for token in tokens { write(token) }
    switch work.effect {
    case .answer(_, let challenge, _), .withdraw(let challenge): write(challenge)
    case .authenticate: write(user: work.user)
    case .reauthenticate(_, let record), .renew(_, let record), .confirm(let record): write(record.began)
    case .revoke(_, _, let reason): write(reason)
    case .read, .save, .exchange, .drain, .erase, .forget, .closeKeys, .discard, .discardSaved, .notify: break
    }
    switch work.stage {
    case .waiting: hasher.combine(0)
    case .asking: hasher.combine(1)
    case .returning(let event, let isFailure):
      write(isFailure)
      return write(event)
    }
    write(work.hasFailed, work.token == ModelWorld.nothing)
    if work.token != ModelWorld.nothing { write(token: work.token) }
  }

  private mutating func write(_ event: SessionEvent) {
    hasher.combine(event.result)
    switch event {
    case .restored(_, .found(let grant)), .answered(_, .granted(let grant)): write(grant.token)
    case .restored(_, .ended(let reason, let token)): write(reason, token)
    case .restored(_, .obstructed(let obstacle)): write(obstacle)
    case .answered(_, .ended(let reason)): write(reason)
    case .answered(_, .challenged(let challenge)): write(challenge)
    case .erased(_, let left): write(left)
    case .restored, .answered, .recognized, .saved, .drained, .revoked, .timedOut, .command, .limitReached, .ended,
      .released:
      break
    }
  }

  /// The part of the authority to which the rest refers, and the number of its other open sessions
  /// and challenges.
  private mutating func writeAuthority() {
    for step in steps.map({ authority.steps[Int($0)] }) {
      write(user: step.user)
      write(step.isOpen, step.isExcused)
      write(token: step.asking)
    }
    hasher.combine(authority.steps.indices.count { authority.steps[$0].isLeftOpen && !steps.contains(UInt8($0)) })
    for token in tokens.map({ authority.tokens[Int($0)] }) {
      write(token.isSuperseded, token.wasKept, token.isConfirmationMissing)
      hasher.combine(token.replaces.map { tokens.firstIndex(of: $0) })
      hasher.combine(sessions.number(of: token.session))
    }
    for session in sessions.map({ authority.sessions[Int($0)] }) {
      write(user: session.user)
      write(session.isExcused, session.isErased, session.end)
    }
    hasher.combine(
      authority.sessions.indices.count { authority.sessions[$0].isLeftAlive && !sessions.contains(UInt8($0)) })
  }
}

extension Array where Element: Equatable {
  /// The position of an element, which is appended if it is missing.
  fileprivate mutating func number(of element: Element) -> UInt8 {
    if let index = firstIndex(of: element) { return UInt8(index) }
    append(element)
    return UInt8(count - 1)
  }
}

// MARK: The parts of a world

/// A part of a world; by default one without numbers of the model.
private protocol ModelPart: Hashable {
  func write(to encoder: inout ModelEncoder)
}

extension ModelPart {
  func write(to encoder: inout ModelEncoder) { encoder.hasher.combine(self) }
}

extension Bool: ModelPart {}
extension SessionState.Kind: ModelPart {}
extension SessionCommand.OnSession: ModelPart {}
extension Challenged.Progress: ModelPart {}
extension LoggingOut.Progress: ModelPart {}
extension RestoreFailure: ModelPart {}
extension LogoutReason: ModelPart {}
extension EndReason: ModelPart {}
extension IncompleteCleanup: ModelPart {}

extension Optional: ModelPart where Wrapped: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) {
    if let self { self.write(to: &encoder) } else { encoder.hasher.combine(ModelEncoder.none) }
  }
}

extension SessionToken: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) { encoder.write(token: number) }
}

extension Challenge: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) { encoder.write(challenge: token.number) }
}

extension Epoch: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) { encoder.write(epoch: self) }
}

extension LastKnownUser: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) {
    encoder.write(user: username == ModelAuthority.names[0] ? 0 : 1)
  }
}

extension SessionRecord: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) { encoder.write(grant.token, accessToken != nil, began) }
}

extension Effect.Targets: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) { encoder.write(token, pending) }
}

extension LoggedOut: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) { encoder.write(reason, leftovers, targets, sweeping) }
}

extension Authenticating.Origin: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) {
    switch self {
    case .restoring(let state): encoder.write(state.obstacle, state.previously, state.lastKnown)
    case .loggedOut(let state): encoder.write(SessionState.Kind.loggedOut, state)
    }
  }
}

extension Challenged.Origin: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) {
    switch self {
    case .login(let origin): encoder.write(SessionRecord?.none, origin)
    case .session(let session, let purpose): encoder.write(session, purpose)
    }
  }
}

extension Renewing.Beside: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) { encoder.write(challenge, purpose, epoch) }
}

extension Renewing.Progress: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) {
    switch self {
    case .asking: encoder.write(false)
    case .rereading: encoder.write(true)
    case .saving(let record): encoder.write(record)
    }
  }
}
