import ConcurrencyKit

/// A state behind a lock, for whose changes tests can wait.
final class Awaitable<State: Sendable>: Sendable {
  private struct Storage {
    var state: State
    var waiting: [(isMet: @Sendable (State) -> Bool, met: Promise<Void>)] = []
  }

  private let storage: Locked<Storage>

  init(_ state: State) {
    storage = Locked(Storage(state: state))
  }

  /// Reads or changes the state, and resumes the tests whose condition is met now.
  func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, met) = storage.withLock { storage in
      let result = body(&storage.state)
      let met = storage.waiting.filter { $0.isMet(storage.state) }.map(\.met)
      if !met.isEmpty { storage.waiting.removeAll { $0.isMet(storage.state) } }
      return (result, met)
    }
    for test in met { test.fulfil(()) }
    return result
  }

  /// Suspends until the state meets a condition.
  func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
    let met = Promise<Void>()
    let isMetNow = storage.withLock { storage in
      if !isMet(storage.state) { storage.waiting.append((isMet, met)) }
      return isMet(storage.state)
    }
    if !isMetNow { await met.valueUncancelled() }
  }
}
