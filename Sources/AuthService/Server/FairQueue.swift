import Glibc

/// Jobs that wait for a thread: users take turns, and none has every thread or every place.
struct FairQueue<Job: Sendable>: Sendable {
  /// How much may wait and run.
  struct Bounds: Hashable, Sendable {
    /// Jobs that wait, of all users.
    var places: Int
    /// Jobs that wait, of one user.
    var placesOfUser: Int
    /// Jobs of one user that run at the same moment.
    var runningOfUser: Int
  }

  private struct User: Sendable {
    var waiting: [Job] = []
    var running = 0
  }

  let bounds: Bounds
  private(set) var count = 0
  private(set) var running = 0
  private var users: [uid_t: User] = [:]
  /// The users with jobs that wait, the next one first.
  private var turns: [uid_t] = []

  init(_ bounds: Bounds) {
    self.bounds = bounds
  }

  /// - Returns: False when there is no place.
  mutating func append(_ job: Job, of user: uid_t) -> Bool {
    var entry = users[user] ?? User()
    guard count < bounds.places, entry.waiting.count < bounds.placesOfUser else { return false }
    if entry.waiting.isEmpty { turns.append(user) }
    entry.waiting.append(job)
    users[user] = entry
    count += 1
    return true
  }

  /// Whether a job that waits may run.
  var canRun: Bool { turn != nil }

  private var turn: Int? { turns.firstIndex { (users[$0]?.running ?? 0) < bounds.runningOfUser } }

  /// The next job that may run; call ``finished(_:)`` when it has.
  mutating func next() -> (user: uid_t, job: Job)? {
    guard let turn else { return nil }
    let user = turns.remove(at: turn)
    guard var entry = users[user] else { return nil }
    let job = entry.waiting.removeFirst()
    entry.running += 1
    if !entry.waiting.isEmpty { turns.append(user) }
    users[user] = entry
    count -= 1
    running += 1
    return (user, job)
  }

  mutating func finished(_ user: uid_t) {
    running -= 1
    guard var entry = users[user] else { return }
    entry.running -= 1
    users[user] = entry.running == 0 && entry.waiting.isEmpty ? nil : entry
  }

  /// Takes out all that waits.
  mutating func removeAll() -> [Job] {
    defer {
      (count, turns) = (0, [])
      for user in users.keys { users[user]?.waiting = [] }
    }
    return turns.flatMap { users[$0]?.waiting ?? [] }
  }
}
