import Glibc

/// Jobs that wait for a thread: users take turns, and none has every thread or every place.
///
/// The names of one user take turns within those of the user.
struct FairQueue<Job: Sendable>: Sendable {
  private struct User: Sendable {
    let id: uid_t
    /// The jobs of each name that has some, those of the next one first.
    var turns: [(name: String?, jobs: [Job])] = []

    mutating func append(_ job: Job, _ name: String?) {
      if let turn = turns.firstIndex(where: { $0.name == name }) {
        turns[turn].jobs.append(job)
      } else {
        turns.append((name, [job]))
      }
    }

    mutating func next() -> (Caller, Job) {
      var turn = turns.removeFirst()
      let job = turn.jobs.removeFirst()
      if !turn.jobs.isEmpty { turns.append(turn) }
      return (Caller(user: id, name: turn.name), job)
    }
  }

  private let runningOfUser: Int
  private var places: Places
  private var running: [Caller: Int] = [:]
  /// The users with jobs that wait, the next one first.
  private var users: [User] = []

  /// - Parameters:
  ///   - share: How many jobs may wait.
  ///   - runningOfUser: Jobs of one user that run at the same moment.
  init(_ share: ServiceLimits.Share, runningOfUser: Int) {
    places = Places(share)
    self.runningOfUser = runningOfUser
  }

  /// How many wait.
  var count: Int { places.count }
  var runningCount: Int { running.values.reduce(0, +) }

  /// - Returns: False when there is no place.
  mutating func append(_ job: Job, of caller: Caller) -> Bool {
    guard places.take(caller) else { return false }
    let user = users.firstIndex { $0.id == caller.user } ?? users.endIndex
    if user == users.endIndex { users.append(User(id: caller.user)) }
    users[user].append(job, caller.name)
    return true
  }

  /// Whether a job that waits may run.
  var canRun: Bool { turn != nil }

  private var turn: Int? { users.firstIndex { running[Caller(user: $0.id), default: 0] < runningOfUser } }

  /// The next job that may run; call ``finished(_:)`` when it has.
  mutating func next() -> (user: uid_t, job: Job)? {
    guard let turn else { return nil }
    var user = users.remove(at: turn)
    let (caller, job) = user.next()
    if !user.turns.isEmpty { users.append(user) }
    places.leave(caller)
    running.add(1, to: Caller(user: user.id))
    return (user.id, job)
  }

  mutating func finished(_ user: uid_t) { running.add(-1, to: Caller(user: user)) }

  /// Takes out all that waits.
  mutating func removeAll() -> [Job] {
    defer { (users, places) = ([], Places(places.share)) }
    return users.flatMap { $0.turns.flatMap(\.jobs) }
  }
}
