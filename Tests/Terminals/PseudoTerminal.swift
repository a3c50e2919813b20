import Glibc
import Synchronization

/// A terminal that a test holds the other end of.
///
/// Everything is awaited with a deadline: output with `poll`, the echo by looking at the settings
/// of the terminal. A deadline runs from the first output on: before, the test runner may not have
/// started the program yet, and the suite's limit holds. Awaiting blocks, so a test that runs beside
/// others does it on an ``OwnThread``.
package final class PseudoTerminal: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
      self.description = description
    }
  }

  /// The name to open it by.
  package let path: String
  private let master: Int32
  private let isOpen = Atomic(true)
  private let shown = Mutex<Shown>(Shown())

  private struct Shown {
    var unread: [UInt8] = []
    var all: [UInt8] = []
  }

  /// All that was read so far.
  package var transcript: String { shown.withLock { String(decoding: $0.all, as: UTF8.self) } }

  package init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
    // The C library's functions for this are not imported: these are the requests that they make.
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (locked, number): (Int32, Int32) = (0, 0)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, getNumber, &number) == 0,
      ioctl(master, UInt(TIOCSWINSZ), &size) == 0
    else { throw Failure(description: "no pseudo-terminal: error \(errno)") }
    path = "/dev/pts/\(number)"
  }

  deinit { if isOpen.exchange(false, ordering: .relaxed) { close(master) } }

  /// Goes away, as the connection of a remote shell does.
  package func hangUp() {
    if isOpen.exchange(false, ordering: .relaxed) { close(master) }
  }

  /// Starts a program on the terminal, as the leader of a session of its own.
  package func launch(_ arguments: [String], environment: [String: String]) throws -> TerminalProcess {
    try TerminalProcess(arguments, environment: environment, terminal: path)
  }

  /// Types.
  package func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure(description: "cannot type: error \(errno)") }
      rest.removeFirst(count)
    }
  }

  /// Reads until `text` was shown, and returns what was shown up to its end.
  @discardableResult
  package func expect(_ text: String, within limit: Duration = .seconds(60)) throws -> String {
    let wanted = Array(text.utf8)
    try awaitFirstOutput()
    let deadline = Deadline(limit)
    while true {
      if let found = take(upTo: wanted) { return found }
      guard try readMore(deadline) else {
        throw Failure(description: "\"\(text)\" was not shown within \(limit), but \"\(takeAll())\"")
      }
    }
  }

  /// Reads until nobody has the terminal open any more, and returns what was shown.
  package func expectEnd(within limit: Duration = .seconds(60)) throws -> String {
    let deadline = Deadline(limit)
    while try readMore(deadline) {}
    return takeAll()
  }

  /// Whether the terminal shows what is typed, now.
  package var echoes: Bool {
    var settings = termios()
    tcgetattr(master, &settings)
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Changes the echo, as a shell does that takes the terminal over.
  package func setEcho(_ wanted: Bool) throws {
    var settings = termios()
    tcgetattr(master, &settings)
    if wanted { settings.c_lflag |= tcflag_t(ECHO) } else { settings.c_lflag &= ~tcflag_t(ECHO) }
    guard tcsetattr(master, TCSANOW, &settings) == 0 else { throw Failure(description: "no settings: error \(errno)") }
  }

  /// Whether the echo becomes `wanted` within the limit.
  package func waitForEcho(_ wanted: Bool, within limit: Duration = .seconds(60)) -> Bool {
    Deadline(limit).wait { echoes == wanted }
  }

  /// Gives it another size, as a window does that somebody drags.
  package func resize(columns: UInt16, rows: UInt16) throws {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw Failure(description: "no size: error \(errno)") }
  }

  /// Reads until `isReached` is true of everything that was shown so far.
  package func expect(
    _ what: String, within limit: Duration = .seconds(60), _ isReached: ([UInt8]) -> Bool
  ) throws {
    if limit > .zero { try awaitFirstOutput() }
    let deadline = Deadline(limit)
    while !isReached(shown.withLock { $0.all }) {
      guard try readMore(deadline) else { throw Failure(description: "\(what) was not shown within \(limit)") }
    }
  }

  /// Sends a signal to the process group in front.
  package func signalForeground(_ signal: Int32) throws {
    let group = tcgetpgrp(master)
    guard group > 1, kill(-group, signal) == 0 else { throw Failure(description: "nobody is in front: error \(errno)") }
  }

  /// All settings, to compare.
  package var settings: [UInt8] {
    var settings = termios()
    tcgetattr(master, &settings)
    return withUnsafeBytes(of: &settings) { Array($0) }
  }

  private func awaitFirstOutput() throws {
    let deadline = Deadline(.seconds(600))
    while shown.withLock({ $0.all.isEmpty }) {
      guard try readMore(deadline) else { return }
    }
  }

  /// - Returns: False at the deadline, or when the terminal is closed.
  private func readMore(_ deadline: Deadline) throws -> Bool {
    var event = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    let ready = poll(&event, 1, deadline.milliseconds)
    if ready < 0, errno == EINTR { return true }
    guard ready > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(master, &buffer, buffer.count)
    guard count > 0 else { return false }
    shown.withLock {
      $0.unread += buffer[..<count]
      $0.all += buffer[..<count]
    }
    return true
  }

  private func take(upTo wanted: [UInt8]) -> String? {
    shown.withLock { shown in
      guard shown.unread.count >= wanted.count else { return nil }
      for start in 0...(shown.unread.count - wanted.count) {
        let end = start + wanted.count
        guard shown.unread[start..<end].elementsEqual(wanted) else { continue }
        defer { shown.unread.removeFirst(end) }
        return String(decoding: shown.unread[..<end], as: UTF8.self)
      }
      return nil
    }
  }

  private func takeAll() -> String {
    shown.withLock { shown in
      defer { shown.unread = [] }
      return String(decoding: shown.unread, as: UTF8.self)
    }
  }
}
