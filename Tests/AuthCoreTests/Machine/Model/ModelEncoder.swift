@testable import AuthCore

/// Encodes a world as words, so that two worlds that differ only in numbers have the same words.
///
/// Tokens, sessions and users are numbered in the order in which they appear, starting with the
/// machine. An epoch is encoded as the part of the machine to which it is equal. Unreferenced
/// values are omitted. Any other value is encoded as its hash.
struct ModelEncoder {
  private(set) var words: [Int] = []
  private let authority: ModelAuthority
  private var tokens: Numbers
  private var steps: Numbers
  private var sessions: Numbers
  private var users = Numbers(2)
  private var epochs: [Epoch] = []
  /// Whether an epoch without a number gets one: only those of the machine do.
  private var isMachine = true
  /// While it is set, values get no numbers: a value without a number is described.
  private var isSketch = false

  /// The numbers of things, in the order in which they appear.
  private struct Numbers {
    private var numbers: [UInt8?]
    private(set) var seen: [Int] = []

    init(_ count: Int) { numbers = Array(repeating: nil, count: count) }

    subscript(thing: UInt8) -> UInt8? { numbers[Int(thing)] }

    mutating func number(_ thing: UInt8) -> UInt8 {
      if let number = self[thing] { return number }
      seen.append(Int(thing))
      numbers[Int(thing)] = UInt8(seen.count - 1)
      return UInt8(seen.count - 1)
    }
  }

  private static let unknown: UInt8 = 255
  fileprivate static let none: UInt8 = 254

  init(_ world: borrowing ModelWorld) {
    authority = world.authority
    tokens = Numbers(authority.tokens.count)
    steps = Numbers(authority.steps.count)
    sessions = Numbers(authority.sessions.count)
    words.reserveCapacity(96)
    write(world.machine.state)
    isMachine = false
    write(world)
    writeWorks(world.works)
    writeAuthority()
  }

  // MARK: Names

  // Inlined: without it, the deep check takes half as long again.
  @inline(__always)
  fileprivate mutating func write<each Part: ModelPart>(_ part: repeat each Part) {
    repeat (each part).write(to: &self)
  }

  /// Writes a value that contains no numbers of the model.
  fileprivate mutating func write(plain value: some Hashable) {
    words.append(value.hashValue)
  }

  fileprivate mutating func write(number: UInt8) { words.append(Int(number)) }

  fileprivate mutating func write(token: UInt8?) {
    guard let token else { return write(number: Self.none) }
    if isSketch, tokens[token] == nil {
      return write(authority.session(of: token).end == nil, authority.session(of: token).isExcused)
    }
    write(number: tokens.number(token))
  }

  fileprivate mutating func write(challenge: UInt8) {
    if isSketch, steps[challenge] == nil {
      let step = authority.steps[Int(challenge)]
      return write(step.isOpen, step.isExcused)
    }
    write(number: steps.number(challenge))
  }

  fileprivate mutating func write(user: UInt8) {
    write(number: isSketch ? users[user] ?? Self.unknown : users.number(user))
  }

  /// Writes an epoch of the machine, or one from outside: equal to one of the machine's, or
  /// different.
  fileprivate mutating func write(epoch: Epoch) {
    if let index = epochs.firstIndex(of: epoch) { return write(number: UInt8(index)) }
    write(number: isMachine ? UInt8(epochs.count) : Self.none)
    if isMachine { epochs.append(epoch) }
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
    case .renewing(let state): write(state.session, state.purpose, state.epoch, state.step)
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
    LoggedIn.init(session:predecessor:), Renewing.init(session:purpose:epoch:step:),
    LoggingOut.init(epoch:step:reason:targets:sweeping:revoking:successor:leftovers:)
  )

  // MARK: Its environment

  private mutating func write(_ world: borrowing ModelWorld) {
    switch world.vault.content {
    case .empty, .corrupt: write(plain: world.vault.content)
    case .token(let token): write(token: token)
    }
    write(plain: world.vault.difference)
    write(plain: world.gate ?? ModelGate(isOpen: false))
    let awaited = world.awaited
    write(awaited.restore != nil, awaited.work != nil, awaited.logout != nil, awaited.failure != nil)
    write(world.timer == world.machine.state.awaitedEpoch)
    write(number: UInt8(world.unrevoked.count))
    for token in world.unrevoked { write(token: token) }
    write(token: world.lastEnded)
  }

  /// The vault queue has an order, everything else has none.
  private mutating func writeWorks(_ works: [ModelWork]) {
    write(number: UInt8(works.count))
    for work in works where work.isWaitingForVault { write(work) }
    write(number: Self.unknown)
    var others = works.filter { !$0.isWaitingForVault }
    if others.count > 1 {
      var sketched = others.map { (sketch(of: $0), $0) }
      sketched.sort { $0.0.lexicographicallyPrecedes($1.0) }
      others = sketched.map(\.1)
    }
    for work in others { write(work) }
  }

  private mutating func sketch(of work: ModelWork) -> [Int] {
    let saved = words
    words = []
    isSketch = true
    write(work)
    isSketch = false
    defer { words = saved }
    return words
  }

  private mutating func write(_ work: ModelWork) {
    write(plain: work.effect.kind)
    write(work.isOverdue, work.epoch)
    for token in work.effect.tokens { write(token) }
    switch work.effect {
    case .answer(_, let challenge, _), .withdraw(let challenge): write(challenge)
    case .authenticate: write(user: work.user)
    case .reauthenticate(_, let record), .renew(_, let record), .confirm(let record): write(record.began)
    case .revoke(_, let targets, let reason): write(targets.pending, reason)
    case .erase(_, let targets): write(targets.pending)
    case .read, .save, .exchange, .drain, .forget, .closeKeys, .discard, .discardSaved, .notify: break
    }
    switch work.stage {
    case .waiting(let token, let hasFailed):
      write(plain: "waiting, failed: \(hasFailed)")
      if token == ModelWorld.nothing { write(number: Self.unknown) } else { write(token: token) }
    case .asking(let token, let hasFailed):
      write(plain: "asking, failed: \(hasFailed)")
      write(token: token)
    case .returning(let event, let isFailure):
      write(isFailure)
      write(event)
    }
  }

  private mutating func write(_ event: SessionEvent) {
    write(plain: event.result)
    switch event {
    case .restored(_, .found(let grant)), .authenticated(_, .granted(let grant)), .renewed(_, .granted(let grant)):
      write(grant.token)
    case .restored(_, .ended(let reason, let token)): write(reason, token)
    case .restored(_, .obstructed(let obstacle)): write(obstacle)
    case .renewed(_, .ended(let reason)): write(reason)
    case .authenticated(_, .challenged(let challenge)), .renewed(_, .challenged(let challenge)): write(challenge)
    case .erased(_, let left): write(left)
    case .restored, .authenticated, .renewed, .recognized, .saved, .drained, .revoked, .timedOut, .command,
      .limitReached, .ended:
      break
    }
  }

  /// The part of the authority to which the rest refers, and the number of its other open sessions
  /// and challenges.
  private mutating func writeAuthority() {
    write(number: Self.unknown)
    for step in steps.seen.map({ authority.steps[$0] }) {
      write(user: step.user)
      write(step.isOpen, step.isExcused)
      write(token: step.asking)
    }
    let openSteps = authority.steps.indices.count {
      authority.steps[$0].isOpen && !authority.steps[$0].isExcused && steps[UInt8($0)] == nil
    }
    write(number: UInt8(openSteps))
    for token in tokens.seen.map({ authority.tokens[$0] }) {
      write(token.isSuperseded, token.wasKept, token.isConfirmationMissing, token.replaces != nil)
      write(number: token.replaces.map { tokens[$0] ?? Self.unknown } ?? Self.none)
      write(number: sessions.number(token.session))
    }
    for session in sessions.seen.map({ authority.sessions[$0] }) {
      write(user: session.user)
      write(session.isExcused, session.isErased, session.end)
    }
    let orphans = authority.sessions.indices.count {
      authority.sessions[$0].end == nil && !authority.sessions[$0].isExcused && sessions[UInt8($0)] == nil
    }
    write(number: UInt8(orphans))
  }
}

// MARK: The parts of a world

/// A part of a world; by default one without numbers of the model.
private protocol ModelPart: Hashable {
  func write(to encoder: inout ModelEncoder)
}

extension ModelPart {
  func write(to encoder: inout ModelEncoder) { encoder.write(plain: self) }
}

extension Bool: ModelPart {}
extension SessionState.Kind: ModelPart {}
extension Renewing.Purpose: ModelPart {}
extension Challenged.Progress: ModelPart {}
extension LoggingOut.Progress: ModelPart {}
extension RestoreFailure: ModelPart {}
extension LogoutReason: ModelPart {}
extension EndReason: ModelPart {}
extension IncompleteCleanup: ModelPart {}

extension Optional: ModelPart where Wrapped: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) {
    if let self { self.write(to: &encoder) } else { encoder.write(number: ModelEncoder.none) }
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
    case .restoring(let obstacle, let reason, let lastKnown): encoder.write(obstacle, reason, lastKnown)
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

extension Renewing.Progress: ModelPart {
  fileprivate func write(to encoder: inout ModelEncoder) {
    switch self {
    case .asking, .rereading: encoder.write(plain: self)
    case .saving(let record): encoder.write(record)
    }
  }
}
