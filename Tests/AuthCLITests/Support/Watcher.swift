import Glibc
import Races
import Synchronization
import Terminals

/// A `watch` that runs beside a test, and the lines that it prints on standard output and standard
/// error.
final class Watcher: Sendable {
  private let source: Int32
  private let unread = Mutex<[UInt8]>([])
  private let process: Mutex<TerminalProcess>

  init(_ home: CommandHome, _ options: String = "") throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw PseudoTerminal.Failure(description: "no pipe: error \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    source = ends[0]
    process = Mutex(
      try TerminalProcess(
        home.words("watch \(options)"), environment: home.environment, descriptors: [1: ends[1], 2: ends[1]]))
    close(ends[1])
  }

  deinit { close(source) }

  /// The next line, awaited.
  func line(within limit: Duration = .seconds(60)) async throws -> String {
    try await onOwnThread { [self] in
      let deadline = Deadline(limit)
      while true {
        if let line = takeLine() { return line }
        var event = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, deadline.milliseconds) > 0 else {
          throw PseudoTerminal.Failure(description: "watch printed no line within \(limit)")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { throw PseudoTerminal.Failure(description: "watch printed no further line") }
        unread.withLock { $0 += buffer[..<count] }
      }
    }
  }

  /// The next line without the time at its head.
  func change(within limit: Duration = .seconds(60)) async throws -> String {
    try await line(within: limit).split(separator: "  ", maxSplits: 1).last.map(String.init) ?? ""
  }

  /// How it ended, awaited.
  func end() async throws -> TerminalProcess.End {
    try await onOwnThread { [self] in try process.withLock { try $0.wait() } }
  }

  func send(_ signal: Int32) {
    _ = process.withLock { kill($0.id, signal) }
  }

  /// Reads no further, as `head` does.
  func stopReading() {
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    dup2(nothing, source)
    close(nothing)
  }

  private func takeLine() -> String? {
    unread.withLock { unread in
      guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      defer { unread.removeSubrange(...end) }
      return String(decoding: unread[..<end], as: UTF8.self)
    }
  }
}
