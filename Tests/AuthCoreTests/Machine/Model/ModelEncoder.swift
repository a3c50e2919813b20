@testable import AuthCore

/// Encodes a world as bytes, so that two worlds that differ only in numbers have the same bytes.
///
/// Tokens, sessions and users are numbered in the order in which they appear, starting with the
/// machine. An epoch is encoded as the part of the machine to which it is equal. Unreferenced
/// values are omitted.
struct ModelEncoder {
  var bytes: [UInt8] = []
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

  static let unknown: UInt8 = 255
  static let none: UInt8 = 254

  init(_ world: borrowing ModelWorld) {
    authority = world.authority
    tokenNumbers = Array(repeating: Self.unknown, count: authority.tokens.count)
    stepNumbers = Array(repeating: Self.unknown, count: authority.steps.count)
    sessionNumbers = Array(repeating: Self.unknown, count: authority.sessions.count)
    bytes.reserveCapacity(96)
    write(world.machine.state)
    write(world)
    writeWorks(world.works)
    writeAuthority(world)
  }

  // MARK: Names

  mutating func write(token: UInt8) {
    if tokenNumbers[Int(token)] == Self.unknown {
      guard !isSketch else {
        let session = authority.session(of: token)
        bytes.append(200 + (session.end == nil ? 1 : 0) + (session.isExcused ? 2 : 0))
        return
      }
      tokenNumbers[Int(token)] = UInt8(tokens.count)
      tokens.append(token)
    }
    bytes.append(tokenNumbers[Int(token)])
  }

  mutating func write(_ challenge: Challenge) {
    let step = Int(challenge.token.number)
    if stepNumbers[step] == Self.unknown {
      guard !isSketch else { return write(authority.steps[step].isOpen, authority.steps[step].isExcused) }
      stepNumbers[step] = UInt8(steps.count)
      steps.append(UInt8(step))
    }
    bytes.append(stepNumbers[step])
  }

  mutating func write(user: UInt8) {
    if userNumbers[Int(user)] == Self.unknown, !isSketch {
      userNumbers[Int(user)] = users
      users += 1
    }
    bytes.append(userNumbers[Int(user)])
  }

  /// An epoch of the machine.
  private mutating func write(own epoch: Epoch) {
    if let index = epochs.firstIndex(of: epoch) { return bytes.append(UInt8(index)) }
    bytes.append(UInt8(epochs.count))
    epochs.append(epoch)
  }

  /// An epoch from outside the machine: equal to one of the machine's, or different.
  mutating func write(brought epoch: Epoch) {
    bytes.append(epochs.firstIndex(of: epoch).map { UInt8($0) } ?? Self.none)
  }

  mutating func write(_ flags: Bool...) {
    var byte: UInt8 = 0
    for flag in flags { byte = byte << 1 | (flag ? 1 : 0) }
    bytes.append(byte)
  }

  // MARK: The machine

  private mutating func write(_ state: SessionState) {
    switch state {
    case .restoring(let state):
      write(false, state.reading != nil)
      if let reading = state.reading { write(own: reading) }
      write(state.obstacle)
      write(state.previously)
      write(state.lastKnown)
    case .loggedOut(let state):
      bytes.append(10)
      write(state)
    case .authenticating(let state):
      bytes.append(state.saving == nil ? 20 : 21)
      write(own: state.epoch)
      if let record = state.saving { write(own: record) }
      write(state.from)
    case .challenged(let state):
      bytes.append(state.step == .waiting ? 60 : 61)
      write(state.challenge)
      write(own: state.epoch)
      switch state.from {
      case .login(let origin):
        bytes.append(Self.none)
        write(origin)
      case .session(let session, let purpose):
        write(own: session)
        bytes.append(UInt8(truncatingIfNeeded: purpose.number))
      }
    case .loggedIn(let state):
      bytes.append(30)
      write(own: state.session)
      write(state.predecessor)
    case .renewing(let state):
      bytes.append(40)
      write(own: state.session)
      bytes.append(UInt8(truncatingIfNeeded: state.purpose.number))
      write(own: state.epoch)
      switch state.step {
      case .asking: bytes.append(0)
      case .saving(let record):
        bytes.append(1)
        write(own: record)
      case .rereading: bytes.append(2)
      }
    case .loggingOut(let state):
      bytes.append(50 + UInt8(state.step.number))
      write(own: state.epoch)
      write(state.reason)
      write(state.targets)
      write(state.revoking, state.successor != nil, state.sweeping)
      if let successor = state.successor { write(own: successor) }
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

  private mutating func write(_ origin: Authenticating.Origin) {
    switch origin {
    case .restoring(let obstacle, let reason, let lastKnown):
      bytes.append(0)
      write(obstacle)
      write(reason)
      write(lastKnown)
    case .loggedOut(let state):
      bytes.append(1)
      write(state)
    }
  }

  private mutating func write(_ lastKnown: LastKnownUser?) {
    guard let number = ModelAuthority.names.firstIndex(where: { $0 == lastKnown?.username }) else {
      return bytes.append(Self.none)
    }
    write(user: UInt8(number))
  }

  private mutating func write(own record: SessionRecord) {
    write(token: record.token)
    write(record.accessToken != nil)
    write(own: record.began)
  }

  private mutating func write(_ state: LoggedOut) {
    write(state.reason)
    write(state.leftovers)
    write(state.targets)
    write(state.sweeping)
  }

  mutating func write(_ targets: Effect.Targets?) {
    guard let targets else { return bytes.append(Self.none) }
    write(token: targets.token.number)
    if let pending = targets.pending { write(token: pending.number) } else { bytes.append(Self.none) }
  }

  mutating func write(_ leftovers: IncompleteCleanup) {
    write(leftovers.notRevoked, leftovers.notErased, leftovers.leases > 0, leftovers.leases > 1)
  }

  mutating func write(_ obstacle: RestoreFailure?) {
    switch obstacle {
    case .none: bytes.append(0)
    case .vault: bytes.append(1)
    case .corrupt: bytes.append(2)
    case .authority: bytes.append(3)
    }
  }

  private mutating func write(_ reason: LogoutReason) {
    switch reason {
    case .neverLoggedIn: bytes.append(Self.none)
    case .ended(let reason): write(reason)
    }
  }

  mutating func write(_ reason: EndReason) {
    let number: UInt8 =
      switch reason {
      case .userAsked: 0
      case .expired(.idle): 1
      case .expired(.absolute): 2
      case .revoked: 3
      case .accountDisabled: 4
      case .rebooted: 5
      case .switchedUser: 6
      case .storeReleased: 7
      case .accountDeleted: 8
      }
    bytes.append(number)
  }

  // MARK: Its environment

  private mutating func write(_ world: borrowing ModelWorld) {
    switch world.vault.content {
    case .empty: bytes.append(Self.none)
    case .corrupt: bytes.append(Self.unknown)
    case .token(let token): write(token: token)
    }
    bytes.append(world.vault.difference.rawValue)
    let gate = world.gate ?? ModelGate(isOpen: false)
    bytes.append(gate.leases)
    write(
      gate.isOpen, world.awaited.restore, world.awaited.work, world.awaited.logout, world.awaited.isFailing,
      world.timer == world.machine.state.awaitedEpoch)
    bytes.append(UInt8(world.unrevoked.count))
    for token in world.unrevoked { write(token: token) }
    if let ended = world.lastEnded { write(token: ended) } else { bytes.append(Self.none) }
  }

  /// The vault queue has an order, everything else has none.
  private mutating func writeWorks(_ works: [ModelWork]) {
    bytes.append(UInt8(works.count))
    for work in works where work.isWaitingForVault { write(work) }
    bytes.append(Self.unknown)
    var others = works.filter { !$0.isWaitingForVault }
    if others.count > 1 {
      var sketched = others.map { (sketch(of: $0), $0) }
      sketched.sort { $0.0.lexicographicallyPrecedes($1.0) }
      others = sketched.map(\.1)
    }
    for work in others { write(work) }
  }

  private mutating func sketch(of work: ModelWork) -> [UInt8] {
    let saved = bytes
    bytes = []
    isSketch = true
    write(work)
    isSketch = false
    defer { bytes = saved }
    return bytes
  }

  private mutating func writeAuthority(_ world: borrowing ModelWorld) {
    bytes.append(Self.unknown)
    for number in steps {
      let step = authority.steps[Int(number)]
      write(user: step.user)
      write(step.isOpen, step.isExcused)
      if let token = step.asking { write(token: token) } else { bytes.append(Self.none) }
    }
    let openSteps = authority.steps.indices.count {
      authority.steps[$0].isOpen && !authority.steps[$0].isExcused && stepNumbers[$0] == Self.unknown
    }
    bytes.append(UInt8(openSteps))
    for number in tokens {
      let token = authority.tokens[Int(number)]
      write(token.isSuperseded, token.wasKept, token.isConfirmationMissing, token.replaces != nil)
      bytes.append(token.replaces.map { tokenNumbers[Int($0)] } ?? Self.none)
      if sessionNumbers[Int(token.session)] == Self.unknown {
        sessionNumbers[Int(token.session)] = UInt8(sessions.count)
        sessions.append(token.session)
      }
      bytes.append(sessionNumbers[Int(token.session)])
    }
    for number in sessions {
      let session = authority.sessions[Int(number)]
      write(user: session.user)
      write(session.isExcused, session.isErased, session.end != nil)
      if let end = session.end { write(end) }
    }
    let orphans = authority.sessions.indices.count {
      let session = authority.sessions[$0]
      return session.end == nil && !session.isExcused && sessionNumbers[$0] == Self.unknown
    }
    bytes.append(UInt8(orphans))
  }
}

extension Renewing.Purpose {
  fileprivate var number: Int {
    switch self {
    case .activity: 0
    case .check: 1
    case .password: 2
    case .switchUser: 3
    }
  }
}

extension LoggingOut.Progress {
  fileprivate var number: Int {
    switch self {
    case .draining: 0
    case .revoking: 1
    case .erasing: 2
    }
  }
}
