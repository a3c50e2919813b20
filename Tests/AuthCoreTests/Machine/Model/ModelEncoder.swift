@testable import AuthCore

/// Encodes a world as words, so that two worlds that differ only in numbers have the same words.
///
/// Tokens, sessions and users are numbered in the order in which they appear, starting with the
/// machine. An epoch is encoded as the part of the machine to which it is equal. Unreferenced
/// values are omitted. Any other value is encoded as its hash.
struct ModelEncoder {
  private(set) var words: [UInt64] = []
  private let authority: ModelAuthority
  private var tokenNumbers: [UInt8]
  private var tokens: [UInt8] = []
  private var stepNumbers: [UInt8]
  private var steps: [UInt8] = []
  private var sessionNumbers: [UInt8]
  private var sessions: [UInt8] = []
  private var userNumbers: [UInt8] = [unknown, unknown]
  private var users: UInt8 = 0
  private var epochs: [Epoch] = []
  /// While it is set, values get no numbers: a value without a number is described.
  private var isSketch = false

  private static let unknown: UInt8 = 255
  private static let none: UInt8 = 254

  init(_ world: borrowing ModelWorld) {
    authority = world.authority
    tokenNumbers = Array(repeating: Self.unknown, count: authority.tokens.count)
    stepNumbers = Array(repeating: Self.unknown, count: authority.steps.count)
    sessionNumbers = Array(repeating: Self.unknown, count: authority.sessions.count)
    words.reserveCapacity(96)
    write(world.machine.state)
    write(world)
    writeWorks(world.works)
    writeAuthority(world)
  }

  // MARK: Names

  /// Writes a value that contains no numbers of the model.
  private mutating func write(plain value: some Hashable) {
    words.append(UInt64(bitPattern: Int64(value.hashValue)))
  }

  private mutating func write(number: UInt8) { words.append(UInt64(number)) }

  private mutating func write(token: UInt8?) {
    guard let token else { return write(number: Self.none) }
    if tokenNumbers[Int(token)] == Self.unknown {
      guard !isSketch else {
        let session = authority.session(of: token)
        return write(plain: [session.end == nil, session.isExcused])
      }
      tokenNumbers[Int(token)] = UInt8(tokens.count)
      tokens.append(token)
    }
    write(number: tokenNumbers[Int(token)])
  }

  private mutating func write(_ challenge: Challenge) {
    let step = Int(challenge.token.number)
    if stepNumbers[step] == Self.unknown {
      guard !isSketch else { return write(plain: [authority.steps[step].isOpen, authority.steps[step].isExcused]) }
      stepNumbers[step] = UInt8(steps.count)
      steps.append(UInt8(step))
    }
    write(number: stepNumbers[step])
  }

  private mutating func write(user: UInt8) {
    if userNumbers[Int(user)] == Self.unknown, !isSketch {
      userNumbers[Int(user)] = users
      users += 1
    }
    write(number: userNumbers[Int(user)])
  }

  /// An epoch of the machine.
  private mutating func write(own epoch: Epoch) {
    if let index = epochs.firstIndex(of: epoch) { return write(number: UInt8(index)) }
    write(number: UInt8(epochs.count))
    epochs.append(epoch)
  }

  /// An epoch from outside the machine: equal to one of the machine's, or different.
  private mutating func write(brought epoch: Epoch) {
    write(number: epochs.firstIndex(of: epoch).map { UInt8($0) } ?? Self.none)
  }

  // MARK: The machine

  private mutating func write(_ state: SessionState) {
    write(plain: state.kind)
    switch state {
    case .restoring(let state):
      write(plain: state.reading != nil)
      if let reading = state.reading { write(own: reading) }
      write(plain: state.obstacle)
      write(plain: state.previously)
      write(state.lastKnown)
    case .loggedOut(let state):
      write(state)
    case .authenticating(let state):
      write(own: state.epoch)
      write(own: state.saving)
      write(state.from)
    case .challenged(let state):
      write(plain: state.step)
      write(state.challenge)
      write(own: state.epoch)
      switch state.from {
      case .login(let origin):
        write(number: Self.none)
        write(origin)
      case .session(let session, let purpose):
        write(own: session)
        write(plain: purpose)
      }
    case .loggedIn(let state):
      write(own: state.session)
      write(plain: state.predecessor)
    case .renewing(let state):
      write(own: state.session)
      write(plain: state.purpose)
      write(own: state.epoch)
      switch state.step {
      case .asking, .rereading: write(plain: state.step)
      case .saving(let record): write(own: record)
      }
    case .loggingOut(let state):
      write(plain: state.step)
      write(own: state.epoch)
      write(plain: state.reason)
      write(state.targets)
      write(plain: [state.revoking, state.sweeping])
      write(own: state.successor)
      write(plain: state.leftovers)
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

  private mutating func write(_ origin: Authenticating.Origin) {
    switch origin {
    case .restoring(let obstacle, let reason, let lastKnown):
      write(plain: obstacle)
      write(plain: reason)
      write(lastKnown)
    case .loggedOut(let state):
      write(plain: SessionState.Kind.loggedOut)
      write(state)
    }
  }

  private mutating func write(_ lastKnown: LastKnownUser?) {
    guard let number = ModelAuthority.names.firstIndex(where: { $0 == lastKnown?.username }) else {
      return write(number: Self.none)
    }
    write(user: UInt8(number))
  }

  private mutating func write(own record: SessionRecord?) {
    guard let record else { return write(number: Self.none) }
    write(token: record.token)
    write(plain: record.accessToken != nil)
    write(own: record.began)
  }

  private mutating func write(_ state: LoggedOut) {
    write(plain: state.reason)
    write(plain: state.leftovers)
    write(state.targets)
    write(plain: state.sweeping)
  }

  private mutating func write(_ targets: Effect.Targets?) {
    write(token: targets?.token.number)
    write(token: targets?.pending?.number)
  }

  // MARK: Its environment

  private mutating func write(_ world: borrowing ModelWorld) {
    switch world.vault.content {
    case .empty, .corrupt: write(plain: world.vault.content)
    case .token(let token): write(token: token)
    }
    write(plain: world.vault.difference)
    write(plain: world.gate ?? ModelGate(isOpen: false))
    let awaited = world.awaited
    write(plain: [awaited.restore != nil, awaited.work != nil, awaited.logout != nil, awaited.failure != nil])
    write(plain: world.timer == world.machine.state.awaitedEpoch)
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

  private mutating func sketch(of work: ModelWork) -> [UInt64] {
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
    write(plain: work.isOverdue)
    if let epoch = work.epoch { write(brought: epoch) }
    switch work.effect {
    case .read, .drain, .forget, .closeKeys, .notify: break
    case .answer(_, let challenge, let record):
      write(challenge)
      write(token: record?.token)
    case .withdraw(let challenge): write(challenge)
    case .authenticate: write(user: work.user)
    case .reauthenticate(_, let record), .renew(_, let record), .confirm(let record):
      write(token: record.token)
      write(brought: record.began)
    case .discard(let token), .discardSaved(let token): write(token: token.number)
    case .save(_, let grant): write(token: grant.token.number)
    case .exchange(_, let old, let new):
      write(token: old.number)
      write(token: new.token.number)
    case .revoke(_, let targets, let reason):
      write(targets)
      write(plain: reason)
    case .erase(_, let targets): write(targets)
    }
    switch work.stage {
    case .waiting(let token, let hasFailed):
      write(plain: "waiting, failed: \(hasFailed)")
      if token == ModelWorld.nothing { write(number: Self.unknown) } else { write(token: token) }
    case .asking(let token, let hasFailed):
      write(plain: "asking, failed: \(hasFailed)")
      write(token: token)
    case .returning(let event, let isFailure):
      write(plain: isFailure)
      write(event)
    }
  }

  private mutating func write(_ event: SessionEvent) {
    write(plain: event.result)
    switch event {
    case .restored(_, .found(let grant)), .authenticated(_, .granted(let grant)), .renewed(_, .granted(let grant)):
      write(token: grant.token.number)
    case .restored(_, .ended(let reason, let token)):
      write(plain: reason)
      write(token: token.number)
    case .restored(_, .obstructed(let obstacle)): write(plain: obstacle)
    case .renewed(_, .ended(let reason)): write(plain: reason)
    case .authenticated(_, .challenged(let challenge)), .renewed(_, .challenged(let challenge)): write(challenge)
    case .erased(_, let left): write(plain: left)
    case .restored, .authenticated, .renewed, .recognized, .saved, .drained, .revoked, .timedOut, .command,
      .limitReached, .ended:
      break
    }
  }

  /// The part of the authority to which the rest refers, and the number of its other open sessions
  /// and challenges.
  private mutating func writeAuthority(_ world: borrowing ModelWorld) {
    write(number: Self.unknown)
    for number in steps {
      let step = authority.steps[Int(number)]
      write(user: step.user)
      write(plain: [step.isOpen, step.isExcused])
      write(token: step.asking)
    }
    let openSteps = authority.steps.indices.count {
      authority.steps[$0].isOpen && !authority.steps[$0].isExcused && stepNumbers[$0] == Self.unknown
    }
    write(number: UInt8(openSteps))
    for number in tokens {
      let token = authority.tokens[Int(number)]
      write(plain: [token.isSuperseded, token.wasKept, token.isConfirmationMissing, token.replaces != nil])
      write(number: token.replaces.map { tokenNumbers[Int($0)] } ?? Self.none)
      if sessionNumbers[Int(token.session)] == Self.unknown {
        sessionNumbers[Int(token.session)] = UInt8(sessions.count)
        sessions.append(token.session)
      }
      write(number: sessionNumbers[Int(token.session)])
    }
    for number in sessions {
      let session = authority.sessions[Int(number)]
      write(user: session.user)
      write(plain: [session.isExcused, session.isErased])
      write(plain: session.end)
    }
    let orphans = authority.sessions.indices.count {
      let session = authority.sessions[$0]
      return session.end == nil && !session.isExcused && sessionNumbers[$0] == Self.unknown
    }
    write(number: UInt8(orphans))
  }
}
