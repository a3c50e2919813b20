import CommandLineKit
import Glibc
import Synchronization

/// A terminal whose other end is in the test.
///
/// Every wait has a deadline: for output with `poll`, for the echo by polling the settings of the
/// terminal. A deadline starts at the first output: before that, the program may not have started
/// yet, and the suite's limit applies. Waiting blocks the thread, so tests that run in parallel
/// wait on an ``OwnThread``.
package final class PseudoTerminal: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
      self.description = description
    }
  }

  package let path: String
  private let master: Int32
  private let isOpen = Atomic(true)
  private let shown = Mutex<Shown>(Shown())

  private struct Shown {
    var unread: [UInt8] = []
    var all: [UInt8] = []
  }

  /// All output so far.
  package var transcript: String { shown.withLock { String(decoding: $0.all, as: UTF8.self) } }

  package init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
    // The C library's functions for this are not imported; these are their requests.
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (locked, number): (Int32, Int32) = (0, 0)
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, getNumber, &number) == 0 else {
      throw Failure(description: "no pseudo-terminal: error \(errno)")
    }
    path = "/dev/pts/\(number)"
    try resize(columns: columns, rows: rows)
  }

  deinit { if isOpen.exchange(false, ordering: .relaxed) { close(master) } }

  /// Hangs up, like the connection of a remote shell.
  package func hangUp() {
    if isOpen.exchange(false, ordering: .relaxed) { close(master) }
  }

  /// Starts a program on the terminal, as the leader of a new session.
  package func launch(_ arguments: [String], environment: [String: String]) throws -> TerminalProcess {
    try TerminalProcess(arguments, environment: environment, terminal: path)
  }

  /// Types text.
  package func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure(description: "cannot type: error \(errno)") }
      rest.removeFirst(count)
    }
  }

  /// Reads until `text` appears, and returns the output up to its end.
  @discardableResult
  package func expect(_ text: String, within limit: Duration = .seconds(60)) throws -> String {
    let wanted = Array(text.utf8)
    try awaitFirstOutput()
    let deadline = Deadline(limit)
    while true {
      if let found = take(upTo: wanted) { return found }
      guard try readMore(deadline) else {
        throw Failure(description: "\"\(text)\" was not shown \(deadline.words(limit)), but \"\(takeAll())\"")
      }
    }
  }

  /// Reads until no process has the terminal open, and returns the output.
  package func expectEnd(within limit: Duration = .seconds(60)) throws -> String {
    let deadline = Deadline(limit)
    while try readMore(deadline) {}
    return takeAll()
  }

  /// Changes the size, like a window that is resized.
  package func resize(columns: UInt16, rows: UInt16) throws {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw Failure(description: "no size: error \(errno)") }
  }

  /// Reads until `isReached` is true for all output so far.
  package func expect(
    _ what: String, within limit: Duration = .seconds(60), _ isReached: ([UInt8]) -> Bool
  ) throws {
    if limit > .zero { try awaitFirstOutput() }
    let deadline = Deadline(limit)
    while !isReached(shown.withLock { $0.all }) {
      guard try readMore(deadline) else { throw Failure(description: "\(what) was not shown \(deadline.words(limit))") }
    }
  }

  /// Sends a signal to the foreground process group.
  package func signalForeground(_ signal: Int32) throws {
    let group = tcgetpgrp(master)
    guard group > 1, kill(-group, signal) == 0 else { throw Failure(description: "nobody is in front: error \(errno)") }
  }

  package var settings: [UInt8] { withUnsafeBytes(of: mode) { Array($0) } }

  private var mode: termios {
    var mode = termios()
    tcgetattr(master, &mode)
    return mode
  }

  private func awaitFirstOutput() throws {
    let deadline = Deadline(.seconds(600))
    while shown.withLock({ $0.all.isEmpty }) {
      guard try readMore(deadline) else { return }
    }
  }

  /// - Returns: False at the deadline, or if the terminal is closed.
  private func readMore(_ deadline: Deadline) throws -> Bool {
    var event = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    let ready = poll(&event, 1, deadline.remainingMilliseconds)
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
      guard let found = shown.unread.firstRange(of: wanted) else { return nil }
      defer { shown.unread.removeFirst(found.upperBound) }
      return String(decoding: shown.unread[..<found.upperBound], as: UTF8.self)
    }
  }

  private func takeAll() -> String {
    shown.withLock { shown in
      defer { shown.unread = [] }
      return String(decoding: shown.unread, as: UTF8.self)
    }
  }
}

extension Deadline {
  /// Until when something did not happen: a program may have ended before the deadline.
  fileprivate func words(_ limit: Duration) -> String {
    remainingMilliseconds > 0 ? "before the program ended" : "within \(limit)"
  }
}
