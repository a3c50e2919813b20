package import AuthAccounts
import AuthCore

/// What the service has done since its start.
package struct ServiceCounts: Sendable {
  /// Connections that were accepted.
  package internal(set) var accepted: UInt64 = 0
  /// How long requests took until they were answered, with their wait, by what they do.
  package private(set) var times: [RequestWork: Durations] = [:]
  /// Requests that the database did not answer.
  package private(set) var unavailable = 0
  /// Recent faults that an operator must repair.
  package private(set) var faults = RecentCount()
  /// Refusals by reason, which is the code of an error or of the end of a connection.
  package private(set) var refused: [String: Int] = [:]
  /// Answered requests by user of the machine, for the busiest users.
  package private(set) var users: [UInt32: Int] = [:]

  /// How many users are counted; one member can have 65,536 subordinate ones.
  static let mostUsers = 1024

  mutating func count(_ error: BackendError?, _ work: RequestWork, of user: UInt32, took time: Duration) {
    times[work, default: Durations()].add(time)
    users[user, default: 0] += 1
    if users.count > Self.mostUsers {
      let busiest = users.sorted { $0.value > $1.value }.prefix(Self.mostUsers / 2)
      users = Dictionary(uniqueKeysWithValues: busiest.map { ($0.key, $0.value) })
    }
    guard case .unavailable(let failure)? = error?.kind else { return }
    if !failure.isLimit { unavailable += 1 }
    if failure.isFault { faults.add() }
  }

  mutating func refuse(_ reason: String) { refused[reason, default: 0] += 1 }
}

/// Durations, counted by upper bounds, as Prometheus has histograms.
package struct Durations: Sendable {
  /// The upper bounds in seconds; longer durations have a count of their own.
  package static let bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 10]
  package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The sum of the durations, in seconds.
  package private(set) var sum = 0.0

  package var count: Int { counts.reduce(0, +) }

  /// Creates an empty count.
  package init() {}

  mutating func add(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }
}

/// How often something happened in this minute and in the one before.
package struct RecentCount: Sendable {
  private var began = ContinuousClock.now
  private var (now, before) = (0, 0)

  /// How often, up to a moment.
  package func count(at moment: ContinuousClock.Instant = .now) -> Int {
    var copy = self
    copy.advance(to: moment)
    return copy.now + copy.before
  }

  mutating func add(at moment: ContinuousClock.Instant = .now) {
    advance(to: moment)
    now += 1
  }

  private mutating func advance(to moment: ContinuousClock.Instant) {
    let minutes = Int((moment - began) / .seconds(60))
    guard minutes > 0 else { return }
    (before, now) = (minutes == 1 ? now : 0, 0)
    began += .seconds(60) * minutes
  }
}

extension Unavailability {
  /// Whether a user reached a limit of the service.
  var isLimit: Bool { code == BackendError.FailureCode.serviceBusy.rawValue }

  /// Whether an operator must repair something.
  var isFault: Bool {
    switch cause {
    case .unreachable, .unreadable, .unwritable: true
    case .busy, .refused, .unparsable, .cancelled, .unsupported: false
    }
  }
}

/// The state of the service at one moment.
package struct ServiceStatus: Sendable {
  /// How many requests wait for the threads of one kind, and run on them, and since when the oldest
  /// waits.
  package typealias Load = (waiting: Int, running: Int, wait: Duration, oldest: Duration)

  package let startedAt: WallTime
  package let limits: ServiceLimits
  package let connections: Int
  package let subscribers: Int
  package let requests: Load
  package let searches: Load
  package let passwords: Load
  package let counts: ServiceCounts
}
