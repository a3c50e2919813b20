import AuthCore

extension Suite {
  /// The session machine, against one `switch` written by hand for the same events, payloads and
  /// answers.
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
      ) { live(lives, record) },
      Benchmark("a rejected command", operations: count) { reject(record) },
      Benchmark("a late completion", operations: count) { ignore(record, known) },
      .allocations("allocations in 100,000 lives") { live(lives, record) },
      .allocations("allocations in 1,000,000 rejections") { reject(record) },
      .allocations("allocations in 1,000,000 late completions") { ignore(record, known) },
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

private func live(_ lives: Int, _ record: SessionRecord) {
  var machine = SessionMachine()
  for _ in 0..<lives { live(record, lastEpoch: machine.lastEpoch) { machine.handle($0) } }
  keep(machine.lastEpoch)
}

private func reject(_ record: SessionRecord) {
  var machine = loggedInMachine(record)
  var rejected = 0
  for _ in 0..<count {
    if case .rejected = machine.handle(.logIn) { rejected += 1 }
  }
  keep(rejected)
}

private func ignore(_ record: SessionRecord, _ known: [Epoch]) {
  var machine = loggedInMachine(record)
  var ignored = 0
  for index in 0..<count {
    if case .ignored = machine.handle(.drained(known[index & 63])) { ignored += 1 }
  }
  keep(ignored)
}

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
