import AuthCore
import AuthCoreTesting
import Synchronization

extension Suite {
  /// What a screen and an effect pay for being sure.
  static let keys = Suite(name: "keys", summary: "liveness and leases, from another module") { _ in
    let session = TestSession.mint()
    let plain = Counter()
    return [
      Benchmark("atomic load", operations: count) {
        var sum = 0
        for _ in 0..<count { sum &+= plain.value.load(ordering: .acquiring) }
        keep(sum)
      },
      Benchmark("key liveness", operations: count, against: "atomic load", goal: .nanoseconds(3)) {
        let key = session.key
        var live = 0
        for _ in 0..<count where key.isLive { live += 1 }
        keep(live)
      },
      Benchmark("atomic add and subtract", operations: count) {
        for _ in 0..<count {
          plain.value.add(1, ordering: .sequentiallyConsistent)
          plain.value.subtract(1, ordering: .sequentiallyConsistent)
        }
      },
      Benchmark("a lease", operations: count, against: "atomic add and subtract", goal: .nanoseconds(20)) {
        let key = session.key
        var sum = 0
        for index in 0..<count {
          sum &+= require("a lease") { try key.withLease { (_: borrowing SessionLease) in index } }
        }
        keep(sum)
      },
    ]
  }
}

private let count = 1_000_000

private final class Counter: Sendable {
  let value = Atomic<Int>(0)
}
