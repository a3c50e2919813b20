import AuthRules
import ConcurrencyKit
import Glibc

/// Does what requests have left to do, piece by piece, on a thread of its own; see
/// ``AuthRules/Rules/tidy()``.
final class Housekeeping: Sendable {
  /// How long it rests when there was nothing to do.
  static let period = Duration.seconds(10)
  /// The pause between two pieces, in microseconds, in which others get their turn.
  private static let pause: useconds_t = 5_000

  private let rules: Rules
  private let isOver = Monitor(false)

  init(_ rules: Rules) { self.rules = rules }

  /// Starts the thread.
  ///
  /// - Returns: False when the system gave no thread.
  func start() -> Bool {
    startThread {
      while !self.isOver.withLock({ $0 }) {
        if self.rules.tidy() { usleep(Self.pause) } else { _ = self.isOver.wait(atMost: Self.period) { $0 ? () : nil } }
      }
    }
  }

  /// Ends the thread, after the piece that it does.
  func stop() { isOver.change(wakingAll: true) { $0 = true } }
}
