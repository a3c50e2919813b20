import AuthCore

extension Suite {
<<<<<<< HEAD
  /// The session machine, against a switch that one would write by hand for the same few events.
  static let machine = Suite(name: "machine", summary: "one event of the session machine, from another module") {
    [renewals(byHand: true), renewals(byHand: false), rejections(byHand: true), rejections(byHand: false)]
  }
}

private let count = 1_000_000

/// A renewal and its completion, over and over.
private func renewals(byHand: Bool) -> Benchmark {
  let byHandName = "renewal, switch by hand"
  if byHand {
    var machine = HandWritten(sample)
    return Benchmark(byHandName, operations: count) {
      for _ in 0..<count / 2 {
        keep(machine.handle(.renew(start)))
        keep(machine.handle(.renewed(machine.lastEpoch, .granted(sample))))
      }
    }
  }
  var machine = loggedIn()
  return Benchmark("renewal", operations: count, against: byHandName, goal: .ratio(2)) {
    for _ in 0..<count / 2 {
      keep(machine.handle(.renew(start)))
      keep(machine.handle(.renewed(machine.lastEpoch, .granted(sample))))
    }
  }
}

/// A login while somebody is logged in.
private func rejections(byHand: Bool) -> Benchmark {
  let byHandName = "rejection, switch by hand"
  if byHand {
    var machine = HandWritten(sample)
    return Benchmark(byHandName, operations: count) { for _ in 0..<count { keep(machine.handle(.logIn)) } }
  }
  var machine = loggedIn()
  return Benchmark("rejection", operations: count, against: byHandName, goal: .ratio(2)) {
    for _ in 0..<count { keep(machine.handle(.logIn)) }
  }
}

private let start = BootInstant(boot: BootID(high: 0, low: 1), uptime: .seconds(1))
private let sample: SessionRecord = {
  let user = User(id: UserID(rawValue: "1"), username: "alice", displayName: "Alice of a longer name", role: .member)
  let limits = SessionLimits(idle: .off, absolute: .off, fresh: .off)
  let token = SessionToken(bytes: Array(repeating: 7, count: 32))
  return SessionRecord(
    Grant(id: SessionID(rawValue: "session-1"), user: user, token: token, limits: limits), began: Epoch(1))
}()

private func loggedIn() -> SessionMachine {
  var machine = SessionMachine(policy: RenewalPolicy(limit: .max))
  _ = machine.handle(.restore)
  _ = machine.handle(.restored(machine.lastEpoch, .found(sample)))
  return machine
}

/// As much of a session as the two benchmarks need, with the same payloads and effects.
private struct HandWritten {
  private enum State {
    case loggedIn(SessionRecord, RenewalBudget)
    case renewing(SessionRecord, Epoch, RenewalBudget)
  }

  private var state: State
  private(set) var lastEpoch = Epoch(1)

  init(_ session: SessionRecord) {
    state = .loggedIn(session, RenewalBudget())
  }

  @inline(never) mutating func handle(_ event: SessionEvent) -> Reaction {
    switch (state, event) {
    case (.loggedIn(let session, var renewals), .renew(let now)):
      renewals.windowBegan = now
      renewals.begun += 1
      lastEpoch = Epoch(lastEpoch.number + 1)
      state = .renewing(session, lastEpoch, renewals)
      return .transition(
        Transition(from: .loggedIn, to: .renewing, effects: Effects(.renew(lastEpoch, session), .notify)))
    case (.renewing(let session, let awaited, let renewals), .renewed(let epoch, .granted(let record)))
    where epoch == awaited && record.grant.token == session.grant.token:
      state = .loggedIn(record, renewals)
      return .transition(Transition(from: .renewing, to: .loggedIn, effects: Effects(.notify)))
    case (.loggedIn, _): return .rejected(Rejection(.alreadyLoggedIn, permitted: [.renew, .logOut]))
    case (.renewing, _): return .rejected(Rejection(.alreadyInProgress, permitted: [.logOut]))
    }
  }
}
=======
  /// The session machine, against one `switch` written by hand for the same events, payloads and answers.
  static let machine = Suite(name: "machine", summary: "one event, from another module") { _ in
    let record = SessionRecord(grant, began: Epoch(1))
    let known = Array((0..<64).map { Epoch(UInt64($0)) })
    return [
      Benchmark("hand-written switch: a life of 7 events", operations: lives * 7) {
        var machine = HandWrittenMachine()
        for _ in 0..<lives { live(record, lastEpoch: machine.last) { machine.handle($0) } }
        keep(machine.last)
      },
      Benchmark(
        "a life of 7 events", operations: lives * 7, against: "hand-written switch: a life of 7 events",
        goal: .ratio(2)
      ) {
        var machine = SessionMachine()
        for _ in 0..<lives { live(record, lastEpoch: machine.lastEpoch) { machine.handle($0) } }
        keep(machine.lastEpoch)
      },
      Benchmark("one event", .nanoseconds, goal: .nanoseconds(50), from: .same("a life of 7 events")),
      Benchmark("a rejected command", operations: count, goal: .nanoseconds(50)) {
        var machine = loggedInMachine(record)
        var rejected = 0
        for _ in 0..<count {
          if case .rejected = machine.handle(.logIn) { rejected += 1 }
        }
        keep(rejected)
      },
      Benchmark("a late completion", operations: count, goal: .nanoseconds(50)) {
        var machine = loggedInMachine(record)
        var ignored = 0
        for index in 0..<count {
          if case .ignored = machine.handle(.drained(known[index & 63])) { ignored += 1 }
        }
        keep(ignored)
      },
    ]
  }
}

private let lives = 100_000
private let count = 1_000_000

private let grant = Grant(
  id: SessionID(rawValue: "session-1"),
  user: User(id: UserID(rawValue: "user-1"), username: "alice", displayName: "Alice", role: .member),
  token: SessionToken(bytes: Array(repeating: 7, count: 32)),
  limits: SessionLimits(idle: .off, absolute: .off, fresh: .off))

/// From login to logout.
@inline(__always)
private func live(_ record: SessionRecord, lastEpoch: Epoch, _ handle: (SessionEvent) -> Reaction) {
  func epoch(_ offset: UInt64) -> Epoch { Epoch(lastEpoch.number + offset) }
  expect(handle(.logIn))
  expect(handle(.authenticated(epoch(1), .granted(record))))
  expect(handle(.saved(epoch(2), record, .done)))
  expect(handle(.logOut))
  expect(handle(.drained(epoch(3))))
  expect(handle(.revoked(epoch(4), true)))
  expect(handle(.erased(epoch(5), .none)))
}

@inline(__always)
private func expect(_ reaction: Reaction) {
  guard case .transition = reaction else { preconditionFailure("an event of an ordinary life is a transition") }
}

private func loggedInMachine(_ record: SessionRecord) -> SessionMachine {
  var machine = SessionMachine()
  expect(machine.handle(.logIn))
  expect(machine.handle(.authenticated(machine.lastEpoch, .granted(record))))
  expect(machine.handle(.saved(machine.lastEpoch, record, .done)))
  return machine
}
>>>>>>> 997a8db879efe077ffdd435ac8f2465a35836d64
