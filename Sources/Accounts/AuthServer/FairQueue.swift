import AuthService
import Glibc

/// A queue of jobs that wait for a thread: users take turns, and no user gets every thread or every
/// place.
///
/// The names of one user take turns within the turns of the user. When all places are taken, the
/// caller with the most gives one to a caller with fewer, so two users cannot lock out all others.
struct FairQueue<Job: Sendable>: Sendable {
  private struct User: Sendable {
    let id: uid_t
    /// The jobs of each name with waiting jobs; the name whose turn is next comes first.
    var turns: [(name: String?, jobs: [Job])] = []

    mutating func append(_ job: Job, _ name: String?) {
      if let turn = turns.firstIndex(where: { $0.name == name }) {
        turns[turn].jobs.append(job)
      } else {
        turns.append((name, [job]))
      }
    }

    mutating func removeLast(_ name: String?) -> Job? {
      guard let turn = turns.firstIndex(where: { $0.name == name }) else { return nil }
      defer { if turns[turn].jobs.isEmpty { turns.remove(at: turn) } }
      return turns[turn].jobs.popLast()
    }

    mutating func next() -> (Caller, Job) {
      var turn = turns.removeFirst()
      let job = turn.jobs.removeFirst()
      if !turn.jobs.isEmpty { turns.append(turn) }
      return (Caller(user: id, name: turn.name), job)
    }
  }

  private let runningOfUser: Int
  private let runningTogether: Int
  private var places: CallerShares
  private var running: [Caller: Int] = [:]
  /// The users with waiting jobs; the user whose turn is next comes first.
  private var users: [User] = []

  /// - Parameters:
  ///   - share: How many jobs may wait.
  ///   - runningOfUser: Jobs of one user that run at the same moment.
  ///   - runningTogether: The running jobs that users who run or wait divide equally; each may run
  ///     at least one.
  init(_ share: ServiceLimits.Share, runningOfUser: Int, runningTogether: Int = .max) {
    places = CallerShares(share)
    (self.runningOfUser, self.runningTogether) = (runningOfUser, runningTogether)
  }

  /// The number of waiting jobs.
  var count: Int { places.count }
  var runningCount: Int { running.values.reduce(0, +) }

  /// Adds a job.
  ///
  /// - Returns: The job that has no place: this one, or the newest job of the caller with the most,
  ///   which gave its place to this one; nil if every job has a place.
  mutating func append(_ job: Job, of caller: Caller) -> Job? {
    var removed: Job?
    if !places.take(caller) {
      guard let giver = places.giver(for: caller), let last = removeLast(of: giver), places.take(caller) else {
        return job
      }
      removed = last
    }
    let user = users.firstIndex { $0.id == caller.user } ?? users.endIndex
    if user == users.endIndex { users.append(User(id: caller.user)) }
    users[user].append(job, caller.name)
    return removed
  }

  private mutating func removeLast(of caller: Caller) -> Job? {
    guard let user = users.firstIndex(where: { $0.id == caller.user }), let job = users[user].removeLast(caller.name)
    else { return nil }
    if users[user].turns.isEmpty { users.remove(at: user) }
    places.leave(caller)
    return job
  }

  /// The longest-waiting job of each caller.
  var oldest: [Job] { users.flatMap { $0.turns.compactMap(\.jobs.first) } }

  /// Whether a waiting job may run now.
  var canRun: Bool { turn != nil }

  private var turn: Int? {
    let equalShare = max(1, runningTogether / max(1, running.count, users.count))
    return users.firstIndex { running[Caller(user: $0.id), default: 0] < min(runningOfUser, equalShare) }
  }

  /// Removes the next job that may run; call ``finished(_:)`` after it ran.
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

  /// Removes all waiting jobs and returns them.
  mutating func removeAll() -> [Job] {
    defer { (users, places) = ([], CallerShares(places.share)) }
    return users.flatMap { $0.turns.flatMap(\.jobs) }
  }
}
