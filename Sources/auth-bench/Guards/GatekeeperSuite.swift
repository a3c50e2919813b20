import AuthCore
import Guards
import Synchronization

extension Suite {
  /// Gates, against the atomics and the lock that one would write by hand in the same place.
  static let gatekeeper = Suite(name: "gatekeeper", summary: "one passage, from another module") { _ in
    oneCondition + perElement
  }
}

private let count = 1_000_000

private final class HandWritten: Sendable {
  let flag = Atomic<Bool>(false)
  let set = Mutex<Set<Int>>([])
}

private struct State: OptionSet {
  let rawValue: Int
  static let loading = State(rawValue: 1)
}

private var oneCondition: [Benchmark] {
  let plain = HandWritten()
  let gate = Gatekeeper()
  return [
    Benchmark("atomic exchange and store", operations: count) {
      for _ in 0..<count where !plain.flag.exchange(true, ordering: .acquiring) {
        plain.flag.store(false, ordering: .releasing)
      }
    },
    Benchmark("attemptPassage and reset", operations: count, against: "atomic exchange and store", goal: .ratio(2.5)) {
      for _ in 0..<count where gate.attemptPassage() { gate.reset() }
    },
    Benchmark("withPassage", operations: count, against: "atomic exchange and store", goal: .ratio(2)) {
      var sum = 0
      for index in 0..<count {
        if case .passed(let value) = gate.withPassage({ index }) { sum &+= value }
      }
      keep(sum)
    },
    Benchmark("acquire and leave", operations: count, against: "atomic exchange and store") {
      for _ in 0..<count { gate.acquire()?.leave() }
    },
  ]
}

private var perElement: [Benchmark] {
  let plain = HandWritten()
  let gate = Gatekeeper<Set<Int>>()
  let options = Gatekeeper<State>()
  let shared = HandWritten()
  let sharedGate = Gatekeeper<Set<Int>>()
  // An empty set answers without a look.
  shared.set.withLock { _ = $0.insert(-1) }
  sharedGate.attemptPassage(for: -1)
  return [
    Benchmark("Mutex<Set> insert and remove", operations: count) {
      for index in 0..<count {
        let element = index & 1023
        if plain.set.withLock({ $0.insert(element).inserted }) { plain.set.withLock { _ = $0.remove(element) } }
      }
    },
    Benchmark(
      "attemptPassage(for:) and reset(for:)", operations: count, against: "Mutex<Set> insert and remove",
      goal: .ratio(1.2)
    ) {
      for index in 0..<count {
        let element = index & 1023
        if gate.attemptPassage(for: element) { gate.reset(for: element) }
      }
    },
    Benchmark("withPassage(for:)", operations: count, against: "Mutex<Set> insert and remove", goal: .ratio(1.2)) {
      var sum = 0
      for index in 0..<count {
        if case .passed(let value) = gate.withPassage(for: index & 1023, { index }) { sum &+= value }
      }
      keep(sum)
    },
    Benchmark("Mutex<Set> insert and remove, beside another element", operations: count) {
      for index in 0..<count {
        let element = index & 1023
        if shared.set.withLock({ $0.insert(element).inserted }) { shared.set.withLock { _ = $0.remove(element) } }
      }
    },
    Benchmark(
      "attemptPassage(for:) and reset(for:), beside another element", operations: count,
      against: "Mutex<Set> insert and remove, beside another element", goal: .ratio(1.2)
    ) {
      for index in 0..<count {
        let element = index & 1023
        if sharedGate.attemptPassage(for: element) { sharedGate.reset(for: element) }
      }
    },
    Benchmark("option set: attempt and reset", operations: count, against: "Mutex<Set> insert and remove") {
      for _ in 0..<count where options.attemptPassage(for: .loading) { options.reset(for: .loading) }
    },
  ]
}
