import ConcurrencyKit

/// A double whose calls a test can hold, so that the test decides their order.
public protocol HeldCalls: Sendable {
  /// The operations of the double.
  associatedtype Operation: Hashable & Sendable

  /// Logs the calls and stops those that a test holds.
  var turnstile: Turnstile<Operation> { get }
}

/// Where a held call of a double stops.
public enum HoldingPoint: Hashable, Sendable, CaseIterable {
  /// At the start of the call, before it takes effect.
  case start
  /// At the end of the call: it took effect, and the caller has no answer yet.
  case end
}

extension HeldCalls {
  /// Where a held call stops.
  public typealias Point = HoldingPoint

  /// The called operations, in order.
  public var log: [Operation] { turnstile.storage.withLock { $0.log } }

  /// Runs `body` on the thread of each call, before anything else.
  package func onCall(_ body: @escaping @Sendable () -> Void) {
    turnstile.storage.withLock { $0.onCall = body }
  }

  /// Stops calls of an operation at a point, until ``release(_:at:)``.
  ///
  /// - Parameters:
  ///   - operation: The operation to stop.
  ///   - point: Where its calls stop.
  ///   - calls: The number of calls to stop; later calls pass.
  public func hold(_ operation: Operation, at point: Point = .start, calls: Int = .max) {
    turnstile.storage.withLock { $0[operation, at: point].held = calls }
  }

  /// Releases the held calls of an operation; later calls pass.
  public func release(_ operation: Operation, at point: Point = .start) {
    let waiting = turnstile.storage.withLock { storage in
      defer { storage[operation, at: point] = .init() }
      return storage[operation, at: point].waiting
    }
    for call in waiting { call.fulfil(()) }
  }

  /// Releases the first held call of an operation; the others stay held.
  public func releaseFirst(_ operation: Operation, at point: Point = .start) {
    turnstile.storage.withLock { $0[operation, at: point].waiting.popFirst() }?.fulfil(())
  }

  /// Waits until `count` calls of an operation are held at the point.
  public func waitUntilHeld(_ operation: Operation, at point: Point = .start, count: Int = 1) async {
    await turnstile.storage.wait { $0[operation, at: point].waiting.count >= count }
  }
}

extension Array {
  mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}

/// Logs the calls of a double and stops those that a test holds.
public final class Turnstile<Operation: Hashable & Sendable>: Sendable {
  fileprivate struct Checkpoint {
    /// The number of further calls that stop here.
    var held = 0
    var waiting: [Promise<Void>] = []
  }

  fileprivate struct Storage {
    var log: [Operation] = []
    var onCall: @Sendable () -> Void = {}
    private var checkpoints: [HoldingPoint: [Operation: Checkpoint]] = [:]

    subscript(operation: Operation, at point: HoldingPoint) -> Checkpoint {
      get { checkpoints[point]?[operation] ?? Checkpoint() }
      set { checkpoints[point, default: [:]][operation] = newValue }
    }
  }

  fileprivate let storage = Awaitable(Storage())

  /// Logs and runs one call, which stops before and after `body` if a test holds it there.
  ///
  /// It does not suspend if nothing is held.
  func pass<Result>(_ operation: Operation, _ body: () -> Result) async -> Result {
    storage.withLock { storage in
      storage.log.append(operation)
      return storage.onCall
    }()
    await stop(operation, at: .start)
    let result = body()
    await stop(operation, at: .end)
    return result
  }

  private func stop(_ operation: Operation, at point: HoldingPoint) async {
    let release = storage.withLock { storage -> Promise<Void>? in
      guard storage[operation, at: point].held > 0 else { return nil }
      let release = Promise<Void>()
      storage[operation, at: point].held -= 1
      storage[operation, at: point].waiting.append(release)
      return release
    }
    await release?.valueUncancelled()
  }
}
