import ConcurrencyKit
import Observation

/// A number that tasks share.
final class Counter: Sendable {
  private let number = Locked(0)

  var value: Int { number.withLock { $0 } }

  func add(_ difference: Int) {
    number.withLock { $0 += difference }
  }

  /// Counts the first change of anything that the closure reads.
  static func ofChanges(_ read: () -> Void) -> Counter {
    let changes = Counter()
    withObservationTracking(read) { changes.add(1) }
    return changes
  }
}
