import AuthService
import Glibc

/// How much of the service each caller may use, and how long the service waits for a caller.
package struct ServiceLimits: Hashable, Sendable {
  /// The limit of a resource for all callers together, and for one user of the machine.
  package struct Share: Hashable, Sendable {
    package var all: Int
    package var ofUser: Int

    static let unlimited = Share(all: .max, ofUser: .max)

    /// The limit of a caller; a name of a user has a quarter of the user's limit.
    func limit(of caller: Caller) -> Int { caller.name == nil ? ofUser : max(1, ofUser / 4) }
  }

  package var connections = Share(all: 4096, ofUser: 1024)
  /// New connections of one user in a second, after as many without a pause as the user may keep
  /// open.
  ///
  /// More are closed as soon as they are accepted. A name of a user has a quarter of both.
  package var connectsOfUser = 500.0
  /// Threads that wait for the database, and requests that wait for one.
  package var databaseThreads: Int
  /// The most of these threads that one user may occupy, and that several busy users divide: a
  /// running request slows down all others.
  var databaseThreadsOfUser: Int { max(1, databaseThreads / 4) }
  package var requests = Share(all: 1024, ofUser: 512)
  /// Threads that search long lists; nothing else waits for them.
  ///
  /// A user occupies at most one. A database server divides its processors among all of them.
  static let searchThreads = 2
  /// Threads that hash passwords, and requests that wait for one; a hash takes 64 MiB.
  package var hashThreads: Int
  package var passwords = Share(all: 256, ofUser: 224)
  /// Registrations and questions about names of one user without a pause; then one a minute.
  package var namesOfUser = 100
  /// Logins and recoveries of one user that fail without a pause; then one in ten seconds.
  package var failuresOfUser = 1000
  /// The timeout for the first frame, for the rest of a frame, and until an answer is read.
  package var frameTime = Duration.seconds(10)
  /// The longest wait of a request for a thread that uses the database.
  package var answerTime = Duration.seconds(10)
  /// The longest wait of a request for a thread that hashes; less than a client waits.
  package var hashTime = Duration.seconds(150)
  /// The time to finish running requests after SIGTERM.
  package var stopTime = Duration.seconds(10)

  /// The most connections to the database: one for each thread that uses it, one to follow changes
  /// and one for an operator.
  package var databaseConnections: Int { databaseThreads + Self.searchThreads + hashThreads + 2 }

  package init(databaseThreads: Int, hashThreads: Int) {
    self.databaseThreads = databaseThreads
    self.hashThreads = hashThreads
  }
}

/// Counts the places that callers have of a resource, so that none has more than its share.
struct CallerShares: Hashable, Sendable {
  let share: ServiceLimits.Share
  private(set) var count = 0
  private var counts: [Caller: Int] = [:]

  init(_ share: ServiceLimits.Share) { self.share = share }

  /// Takes a place for a caller, which also counts for its user.
  ///
  /// - Returns: False when no place is free.
  mutating func take(_ caller: Caller) -> Bool {
    guard count < share.all, caller.levels.allSatisfy({ counts[$0, default: 0] < share.limit(of: $0) }) else {
      return false
    }
    count += 1
    for level in caller.levels { counts.add(1, to: level) }
    return true
  }

  mutating func leave(_ caller: Caller) {
    count -= 1
    for level in caller.levels { counts.add(-1, to: level) }
  }

  /// The caller that has to give up a place for a caller that found none.
  ///
  /// It is the user with the most places when all are taken, and the name with the most when the
  /// caller's user has all that one user may have.
  ///
  /// - Returns: Nil when the caller would have no fewer than the other one afterwards.
  func giver(for caller: Caller) -> Caller? {
    if caller.name != nil, counts[caller, default: 0] >= share.limit(of: caller) { return nil }
    let user = Caller(user: caller.user)
    if counts[user, default: 0] >= share.ofUser {
      let names = names(of: caller.user)
      return most(of: names, than: names[caller, default: 0])
    }
    return most(of: counts.filter { $0.key.name == nil }, than: counts[user, default: 0])
      .flatMap { most(of: names(of: $0.user), than: -1) }
  }

  private func most(of counts: [Caller: Int], than count: Int) -> Caller? {
    counts.max { $0.value < $1.value }.flatMap { $0.value > count + 1 ? $0.key : nil }
  }

  /// The places of each name of a user, and under the user alone those without a name.
  private func names(of user: uid_t) -> [Caller: Int] {
    var names = counts.filter { $0.key.user == user }
    names[Caller(user: user), default: 0] -= names.reduce(0) { $0 + ($1.key.name == nil ? 0 : $1.value) }
    return names
  }
}

extension Caller {
  /// The user, and the name if there is one.
  fileprivate var levels: [Caller] { name == nil ? [self] : [Caller(user: user), self] }
}

extension [Caller: Int] {
  /// Adds to the count of a caller, and removes a count of 0.
  mutating func add(_ difference: Int, to caller: Caller) {
    let sum = self[caller, default: 0] + difference
    self[caller] = sum == 0 ? nil : sum
  }
}
