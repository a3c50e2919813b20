import AuthCore
import Guards

/// A number that tasks share.
final class Counter: Sendable {
  private let number = Locked(0)

  var value: Int { number.withLock { $0 } }

  func add(_ difference: Int) {
    number.withLock { $0 += difference }
  }
}
