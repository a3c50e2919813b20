import AuthAccounts
import AuthRules
import Glibc
import TextFormat

/// Lines on standard error: a level, what happened, and fields.
///
/// systemd reads the level as a number and adds the time; every other reader gets both as words.
/// Each kind of line of a level is written at most ten times a second in the long run, so that
/// nobody fills the disk by being refused, or hides another line; the next one says how many were
/// omitted. One user gets a quarter of that, so that the refusals of one do not hide those of the
/// others. A name or a password that was typed is never written: people type passwords into the
/// field for the name. Source: sd-daemon(3), OWASP Logging Cheat Sheet.
package final class ServiceLog: Sendable {
  package enum Level: Int32, Sendable {
    /// An operator must repair something.
    case err = 3
    /// Something may need an operator.
    case warning = 4
    /// A refusal, or what an operator did.
    case notice = 5
    case info = 6
  }

  private static let burst = 50.0
  private static let perSecond = 10.0
  /// The lines of each level and kind, such as `notice refused`; there are few kinds.
  private let lines = Rates<String>(burst: Int(burst), perSecond: perSecond)
  private let users = Rates<UInt32>(burst: Int(burst / 4), perSecond: perSecond / 4)
  private let descriptor: Int32
  private let isJournal: Bool

  package init(descriptor: Int32 = STDERR_FILENO) {
    self.descriptor = descriptor
    isJournal = Self.isJournal(descriptor)
  }

  /// What a line of a level begins with: the number of the level if systemd reads it.
  package static func mark(_ level: Level, descriptor: Int32 = STDERR_FILENO) -> String {
    isJournal(descriptor) ? "<\(level.rawValue)>" : ""
  }

  /// Whether systemd reads what is written.
  ///
  /// Source: systemd.exec(5), JOURNAL_STREAM.
  private static func isJournal(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0
      && getenv("JOURNAL_STREAM").map { String(cString: $0) } == "\(status.st_dev):\(status.st_ino)"
  }

  /// Writes a line, unless there were too many of its kind, or too many about this user.
  package func write(
    _ level: Level, _ what: String, of user: UInt32? = nil,
    _ fields: @autoclosure () -> KeyValuePairs<String, String?> = [:]
  ) {
    let mayWrite = user.map { users.counted($0) != nil } ?? true
    guard let omitted = lines.counted("\(level) \(what)", if: mayWrite && isReady) else { return }
    var line = (isJournal ? "<\(level.rawValue)>" : "\(WallTime.now().iso8601) \(level) ") + what
    for case (let name, let value?) in fields() { line += " \(name)=\(Self.quoted(value))" }
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

  private static func quoted(_ text: String) -> String {
    let value = text.hidingSecrets
    let isPlain = value.utf8.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
    }
    return isPlain && !value.isEmpty ? value : "\"\(value.escaped.replacing("\"", with: "'"))\""
  }
}
