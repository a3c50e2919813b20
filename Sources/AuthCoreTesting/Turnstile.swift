import Guards

/// Stops calls at given places until a test releases them, so that the test decides their order.
final class Turnstile<Place: Hashable & Sendable>: Sendable {
  private struct Storage {
    /// The number of further calls that stop at a place.
    var held: [Place: Int] = [:]
    var waiting: [Place: [Promise<Void>]] = [:]
  }

  private let storage = Awaitable(Storage())

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
    for call in waiting { call.fulfil(()) }
  }

  /// Releases the call that has waited longest at `place`.
  func releaseFirst(_ place: Place) {
    let first = storage.withLock { storage in
      storage.waiting[place, default: []].isEmpty ? nil : storage.waiting[place]?.removeFirst()
    }
    first?.fulfil(())
  }

  /// Suspends until `count` calls are held at `place`.
  func waitUntilHeld(_ place: Place, count: Int) async {
    await storage.wait { $0.waiting[place, default: []].count >= count }
  }

  /// Stops here if a test holds the place.
  ///
  /// It does not suspend if nothing is held.
  func pass(_ place: Place) async {
    let release = storage.withLock { storage -> Promise<Void>? in
      guard let left = storage.held[place], left > 0 else { return nil }
      storage.held[place] = left - 1
      let release = Promise<Void>()
      storage.waiting[place, default: []].append(release)
      return release
    }
    await release?.valueUncancelled()
  }
}
