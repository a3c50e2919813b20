public import AuthCore
import ConcurrencyKit

/// A clock that stands still until a test moves it.
///
/// ``advance(by:)`` and cancellation wake its sleepers, so tests never need to sleep.
public final class ManualClock: SessionClock {
  private struct Storage {
    var now: BootInstant
    var failure: ClockError?
    /// Runs after the next read.
    var onRead: (@Sendable () -> Void)?
    /// The promise of each sleeper gets false when its task is cancelled.
    var sleepers: [(until: Duration, end: Promise<Bool>)] = []
  }

  private let storage: Awaitable<Storage>

  /// Creates a clock in the first boot, `uptime` after it began.
  public convenience init(uptime: Duration = .seconds(1000)) {
    self.init(at: BootInstant(boot: BootID(high: 0, low: 1), uptime: uptime))
  }

  /// Creates a clock that shows an instant, such as that of an authority with a clock of its own.
  public init(at now: BootInstant) {
    storage = Awaitable(Storage(now: now))
  }

  /// The current instant, or the error that a test set.
  public func now() throws(ClockError) -> BootInstant {
    let (now, failure, onRead) = storage.withLock { ($0.now, $0.failure, $0.onRead.take()) }
    onRead?()
    if let failure { throw failure }
    return now
  }

  /// Runs `body` once, after the next read, before the reader gets the time.
  package func onRead(_ body: @escaping @Sendable () -> Void) {
    storage.withLock { $0.onRead = body }
  }

  /// Makes the clock unreadable; with nil it is readable again.
  public func fail(_ failure: ClockError?) {
    storage.withLock { $0.failure = failure }
  }

  /// Moves the clock and wakes the sleepers that are due.
  public func advance(by duration: Duration) {
    advance(by: duration) {}
  }

  /// Moves the clock, runs `act`, and then wakes the sleepers that are due.
  private func advance(by duration: Duration, before act: () -> Void) {
    let woken = storage.withLock { storage in
      storage.now = storage.now.advanced(by: duration)
      let due = storage.sleepers.filter { $0.until <= storage.now.uptime }
      storage.sleepers.removeAll { $0.until <= storage.now.uptime }
      return due.sorted { $0.until < $1.until }.map(\.end)
    }
    act()
    for sleeper in woken { sleeper.fulfil(true) }
  }

  /// Moves the clock, and ends the session or the challenge of `store` if a limit has passed.
  ///
  /// The keys are dead when this returns, and their screens are dismissed: those of the main actor
  /// if this is called there, otherwise as soon as it is free. The cleanup may still be under way:
  /// `untilQuiet()` of the store waits for it.
  public func advance(by duration: Duration, in store: SessionStore) {
    // The timers of the store find nothing left to do, so they do not notify from another thread.
    advance(by: duration) { store.enforceLimits() }
  }

  /// Starts another boot: a new identity, and an uptime of zero.
  ///
  /// Sleepers continue to sleep.
  public func reboot() {
    storage.withLock { storage in
      let boot = BootID(high: 0, low: storage.now.boot.low + 1)
      storage.now = BootInstant(boot: boot, uptime: .zero)
    }
  }

  /// The number of sleepers.
  public var sleepers: Int { storage.withLock { $0.sleepers.count } }

  /// Waits until there are at least `count` sleepers.
  ///
  /// - Parameters:
  ///   - count: The number of sleepers to wait for.
  ///   - duration: Counts only sleepers that are due within this time; nil counts all.
  public func waitForSleepers(_ count: Int, dueWithin duration: Duration? = nil) async {
    await storage.wait { storage in
      storage.sleepers.count { sleeper in
        duration.map { sleeper.until <= storage.now.uptime + $0 } ?? true
      } >= count
    }
  }

  /// Sleeps until the clock has moved by `duration`, or the task is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    if duration <= .zero { return }
    let end = Promise<Bool>()
    storage.withLock { $0.sleepers.append(($0.now.uptime + duration, end)) }
    let wasWoken = await withTaskCancellationHandler {
      await end.valueUncancelled()
    } onCancel: {
      storage.withLock { $0.sleepers.removeAll { $0.end === end } }
      end.fulfil(false)
    }
    if !wasWoken { throw CancellationError() }
  }
}
