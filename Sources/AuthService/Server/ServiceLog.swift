import Glibc
import Guards
import TextFormat

/// Lines on standard error for the journal: a level that systemd reads, what happened, and fields.
///
/// At most ten a second in the long run, so that nobody fills the disk by being refused; the next
/// line says how many were left out. A name or a password that was typed is never written: people
/// type passwords into the field for the name. Source: sd-daemon(3), OWASP Logging Cheat Sheet.
package final class ServiceLog: Sendable {
  package enum Level: Int32, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case information = 6
  }

  private struct Budget {
    var lines: Double
    var at = ContinuousClock.now
    var omitted = 0
  }

  private static let burst = 50.0
  private static let perSecond = 10.0
  private let budget = Locked<Budget>(Budget(lines: burst))
  private let descriptor: Int32

  package init(descriptor: Int32 = STDERR_FILENO) {
    self.descriptor = descriptor
  }

  /// Writes a line, unless there were too many.
  package func write(_ level: Level, _ what: String, _ fields: KeyValuePairs<String, String?> = [:]) {
    let omitted: Int? = budget.withLock { budget in
      let now = ContinuousClock.now
      let passed = (now - budget.at) / .seconds(1)
      budget.lines = min(Self.burst, budget.lines + passed * Self.perSecond)
      budget.at = now
      guard budget.lines >= 1, isReady else {
        budget.omitted += 1
        return nil
      }
      budget.lines -= 1
      defer { budget.omitted = 0 }
      return budget.omitted
    }
    guard let omitted else { return }
    var line = "<\(level.rawValue)>\(what)"
    for case (let name, let value?) in fields { line += " \(name)=\(Self.quoted(value))" }
    if omitted > 0 { line += " omitted=\(omitted)" }
    line += "\n"
    // A reader that is gone is no reason to stop.
    _ = Glibc.write(descriptor, line, line.utf8.count)
  }

  /// Whether a line fits in, so that a reader who does not read holds nobody up.
  private var isReady: Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&event, 1, 0) == 1
  }

  private static func quoted(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
    }
    return isPlain && !value.isEmpty ? value : "\"\(value.escaped.replacing("\"", with: "'"))\""
  }
}
