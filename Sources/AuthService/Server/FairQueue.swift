import Glibc

/// Jobs that wait for a thread: users take turns, and none has every thread or every place.
///
/// The names of one user take turns within those of the user.
struct FairQueue<Job: Sendable>: Sendable {
  /// How much may wait and run.
  struct Bounds: Hashable, Sendable {
    /// Jobs that wait, of all users.
    var places: Int
    /// Jobs that wait, of one user.
    var placesOfUser: Int
    /// Jobs that wait, of one name of a user.
    var placesOfName: Int
    /// Jobs of one user that run at the same moment.
    var runningOfUser: Int
  }

  private struct User: Sendable {
    var waiting: [String?: [Job]] = [:]
    /// The names with jobs that wait, the next one first.
    var names: [String?] = []
    var count = 0
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
  mutating func append(_ job: Job, of caller: Caller) -> Bool {
    var user = users[caller.user] ?? User()
    var waiting = user.waiting[caller.name] ?? []
    guard count < bounds.places, user.count < bounds.placesOfUser,
      caller.name == nil || waiting.count < bounds.placesOfName
    else { return false }
    if user.count == 0 { turns.append(caller.user) }
    if waiting.isEmpty { user.names.append(caller.name) }
    waiting.append(job)
    user.waiting[caller.name] = waiting
    user.count += 1
    users[caller.user] = user
    count += 1
    return true
  }

  /// Whether a job that waits may run.
  var canRun: Bool { turn != nil }

  private var turn: Int? { turns.firstIndex { (users[$0]?.running ?? 0) < bounds.runningOfUser } }

  /// The next job that may run; call ``finished(_:)`` when it has.
  mutating func next() -> (user: uid_t, job: Job)? {
    guard let turn else { return nil }
    let number = turns.remove(at: turn)
    guard var user = users[number] else { return nil }
    let name = user.names.removeFirst()
    guard var waiting = user.waiting[name] else { return nil }
    let job = waiting.removeFirst()
    user.waiting[name] = waiting.isEmpty ? nil : waiting
    if !waiting.isEmpty { user.names.append(name) }
    user.count -= 1
    user.running += 1
    if user.count > 0 { turns.append(number) }
    users[number] = user
    count -= 1
    running += 1
    return (number, job)
  }

  mutating func finished(_ user: uid_t) {
    running -= 1
    guard var entry = users[user] else { return }
    entry.running -= 1
    users[user] = entry.running == 0 && entry.count == 0 ? nil : entry
  }

  /// Takes out all that waits.
  mutating func removeAll() -> [Job] {
    defer {
      (count, turns) = (0, [])
      users = users.mapValues { User(running: $0.running) }
    }
    return turns.flatMap { users[$0]?.waiting.values.flatMap(\.self) ?? [] }
  }
}
