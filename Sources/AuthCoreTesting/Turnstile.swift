import AuthCore
import Guards

/// Stops calls at given places until a test releases them, so that the test decides their order.
final class Turnstile<Place: Hashable & Sendable>: Sendable {
  private struct Storage {
    /// The number of further calls that stop at a place.
    var held: [Place: Int] = [:]
    var waiting: [Place: [CheckedContinuation<Void, Never>]] = [:]
    var arrivals: [Arrival] = []
  }

  /// A test that waits for calls to arrive.
  private struct Arrival {
    let place: Place
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private let storage = Locked(Storage())

  /// Stops the next `calls` at `place`; later calls pass.
  func hold(_ place: Place, calls: Int) {
    storage.withLock { $0.held[place] = calls }
  }

  /// Releases the calls at `place`; later calls pass.
  func release(_ place: Place) {
    let waiting = storage.withLock { storage in
      storage.held[place] = nil
      return storage.waiting.removeValue(forKey: place) ?? []
    }
    for call in waiting { call.resume() }
  }

  /// Releases the call that has waited longest at `place`.
  func releaseFirst(_ place: Place) {
    let first = storage.withLock { storage -> CheckedContinuation<Void, Never>? in
      guard var waiting = storage.waiting[place], !waiting.isEmpty else { return nil }
      let first = waiting.removeFirst()
      storage.waiting[place] = waiting
      return first
    }
    first?.resume()
  }

  /// Suspends until `count` calls are held at `place`.
  func waitUntilHeld(_ place: Place, count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = storage.withLock { storage in
        guard storage.waiting[place, default: []].count < count else { return true }
        storage.arrivals.append(Arrival(place: place, count: count, continuation: continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Stops here if a test holds the place.
  ///
  /// It does not suspend if nothing is held.
  func pass(_ place: Place) async {
    guard storage.withLock({ $0.held[place] != nil }) else { return }
    await withCheckedContinuation { continuation in
      let (isHeld, reached) = storage.withLock { storage -> (Bool, [Arrival]) in
        guard let left = storage.held[place], left > 0 else { return (false, []) }
        storage.held[place] = left - 1
        storage.waiting[place, default: []].append(continuation)
        let count = storage.waiting[place, default: []].count
        let reached = storage.arrivals.filter { $0.place == place && $0.count <= count }
        storage.arrivals.removeAll { $0.place == place && $0.count <= count }
        return (true, reached)
      }
      for arrival in reached { arrival.continuation.resume() }
      if !isHeld { continuation.resume() }
    }
  }
}
