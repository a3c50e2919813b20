import AuthCore
import AuthDevice

extension Suite {
  /// Renewals and rejections, against a switch that one would write by hand for the same few
  /// events.
  static let renewals = Suite(name: "renewals", summary: "one event of the session machine, from another module") { _ in
    [
      Benchmark("renewal, switch by hand", operations: count) {
        var machine = HandWrittenRenewals(sample)
        renew(after: machine.lastEpoch) { machine.handle($0) }
      },
      Benchmark("renewal", operations: count, against: "renewal, switch by hand", goal: .ratio(2)) { renew() },
      Benchmark("rejection, switch by hand", operations: count) {
        var machine = HandWrittenRenewals(sample)
        for _ in 0..<count { keep(machine.handle(.logIn)) }
      },
      Benchmark("rejection", operations: count, against: "rejection, switch by hand", goal: .ratio(2)) {
        var machine = loggedIn()
        for _ in 0..<count { keep(machine.handle(.logIn)) }
      },
      .allocations("allocations in 500,000 renewals") { renew() },
    ]
  }
}

private let count = 1_000_000

private func renew() {
  var machine = loggedIn()
  renew(after: machine.lastEpoch) { machine.handle($0) }
}

/// A renewal and its completion, over and over.
@inline(__always)
private func renew(after last: Epoch, _ handle: (SessionEvent) -> Reaction) {
  let (now, record) = (start, sample)
  for renewal in 1...UInt64(count / 2) {
    keep(handle(.renew(now)))
    keep(handle(.renewed(Epoch(last.number + renewal), .granted(record))))
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
private struct HandWrittenRenewals {
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
    case (.loggedIn, _): return .rejected(Reaction.Rejection(.alreadyLoggedIn, permitted: [.renew, .logOut]))
    case (.renewing, _): return .rejected(Reaction.Rejection(.alreadyInProgress, permitted: [.logOut]))
    }
  }
}
