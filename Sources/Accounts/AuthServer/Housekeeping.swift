import AuthAccounts
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
  private let log: ServiceLog
  private let isOver = Monitor(false)

  init(_ rules: Rules, _ log: ServiceLog) { (self.rules, self.log) = (rules, log) }

  /// Starts the thread.
  ///
  /// - Returns: False when the system gave no thread.
  func start() -> Bool {
    startThread {
      var fault: String?
      while !self.isOver.withLock({ $0 }) {
        if self.tidy(&fault) { usleep(Self.pause) } else { _ = self.isOver.wait(atMost: Self.period) { $0 ? () : nil } }
      }
    }
  }

  /// Does a piece; a fault is logged when it begins, and tried again.
  ///
  /// - Returns: Whether there may be more to do.
  func tidy(_ fault: inout String?) -> Bool {
    do throws(BackendError) {
      let goesOn = try rules.tidy()
      fault = nil
      return goesOn
    } catch {
      if fault != error.code { log.write(.warning, "failed", ["reason": error.code, "operation": "housekeeping"]) }
      fault = error.code
      return false
    }
  }

  /// Ends the thread, after the piece that it does.
  func stop() { isOver.change(wakingAll: true) { $0 = true } }
}
