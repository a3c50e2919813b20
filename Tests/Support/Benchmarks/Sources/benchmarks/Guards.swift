import AuthCore
import AuthCoreTesting
import ConcurrencyKit
import Guards
import Synchronization

private let count = 1_000_000

private final class HandWritten: Sendable {
  struct Site: Hashable {
    let object: ObjectIdentifier
    let line: UInt
    let column: UInt
  }

  let flag = Atomic<Bool>(false)
  let set = Mutex<Set<Int>>([])
  let sites = Mutex<[Site: Bool]>([:])
  let number = Mutex(0)

  @inline(never)
  func runOnce(_ object: AnyObject, line: UInt = #line, column: UInt = #column) {
    let site = Site(object: ObjectIdentifier(object), line: line, column: column)
    let hasRun = sites.withLock { sites in
      if sites[site] == true { return true }
      sites[site] = true
      return false
    }
    if !hasRun { keep(1) }
  }
}

private final class Visited: RunsOnce {}

/// Gates, `RunOnce` and a lease from another module, against what one would write by hand.
var guards: [Benchmark] {
  let plain = HandWritten()
  let gate = Gatekeeper()
  let elements = Gatekeeper<Set<Int>>()
  let visited = Visited()
  let session = TestSession.mint()
  let exchange = {
    perCall { _ in
      if !plain.flag.exchange(true, ordering: .acquiring) { plain.flag.store(false, ordering: .releasing) }
    }
  }
  return [
    Benchmark(
      "Gatekeeper: attempt and reset", .nanoseconds, .atMost(2.5), samples: 15, against: "an atomic exchange and store",
      { perCall { _ in if gate.attemptPassage() { gate.reset() } } }, baseline: exchange),
    Benchmark(
      "Gatekeeper: withPassage", .nanoseconds, .atMost(2), samples: 15, against: "an atomic exchange and store",
      { perCall { index in if case .passed(let value) = gate.withPassage({ index }) { keep(value) } } },
      baseline: exchange),
    Benchmark(
      "Gatekeeper: per element", .nanoseconds, .atMost(1.2), samples: 15, against: "a Mutex<Set>",
      { perCall { if elements.attemptPassage(for: $0 & 1023) { elements.reset(for: $0 & 1023) } } },
      baseline: {
        perCall { index in
          if plain.set.withLock({ $0.insert(index & 1023).inserted }) {
            plain.set.withLock { _ = $0.remove(index & 1023) }
          }
        }
      }),
    Benchmark(
      "RunOnce: already ran", .nanoseconds, .atMost(1.5), samples: 15, against: "a hit in a Mutex<Dictionary>",
      { perCall { _ in visited.runOnce { keep(1) } } }, baseline: { perCall { _ in plain.runOnce(visited) } }),
    Benchmark(
      "a lease", .nanoseconds, .atMost(3), samples: 15, against: "a Mutex, locked and unlocked",
      {
        perCall { index in
          do throws(LeaseError<Never>) {
            keep(try session.key.withLease { _ in index })
          } catch {
            preconditionFailure("the session has ended: \(error)")
          }
        }
      }, baseline: { perCall { index in plain.number.withLock { $0 &+= index } } }),
  ]
}

/// The nanoseconds that a call takes.
@inline(__always)
private func perCall(_ body: (Int) -> Void) -> Double {
  ContinuousClock().measure { for index in 0..<count { body(index) } }.nanoseconds / Double(count)
}

/// Makes the optimiser believe that a value is used.
@inline(never)
@_optimize(none)
private func keep<Value>(_ value: Value) {}
