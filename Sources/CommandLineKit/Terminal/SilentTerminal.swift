import Glibc
import TextFormat

/// A terminal that does not show what is typed, from when this is made until it is gone.
///
/// One of these spans the question and the checking of the answer, so that nothing shows during the
/// delay of a refusal. At its end, on every way out of its scope, the terminal is as it was before,
/// and what was typed meanwhile is discarded. Signals that kill or stop the process restore the
/// terminal first; see ``TerminalSignals``.
package struct SilentTerminal: ~Copyable {
  private let input: Int32
  private let messages: Int32
  private let closesInput: Bool
  private let signals: TerminalSignals

  /// Opens the controlling terminal and silences it.
  ///
  /// `noun` is what is asked for, and `flag` the option that reads it without a terminal, for the
  /// message when there is none.
  package static func controlling(for noun: String = "password", insteadUse flag: String) throws(PromptError)
    -> SilentTerminal
  {
    let descriptor = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw .unopened(errno, for: noun, insteadUse: "on standard input with \(flag)")
    }
    return try SilentTerminal(input: descriptor, messages: descriptor, closesInput: true)
  }

  /// Silences a terminal that is open already and stays open.
  ///
  /// It reads from `input` and writes its questions to `messages`.
  package static func open(input: Int32, messages: Int32) throws(PromptError) -> SilentTerminal {
    try SilentTerminal(input: input, messages: messages, closesInput: false)
  }

  private init(input: Int32, messages: Int32, closesInput: Bool) throws(PromptError) {
    do {
      signals = try TerminalSignals(terminal: input)
    } catch {
      if closesInput { close(input) }
      throw error
    }
    self.input = input
    self.messages = messages
    self.closesInput = closesInput
  }

  deinit {
    signals.finish()
    if closesInput { close(input) }
  }

  /// Asks for one line and returns its bytes without the line ending.
  ///
  /// What was typed before the question is discarded. After `fg` the question is asked again, from
  /// its beginning.
  ///
  /// - Parameters:
  ///   - question: The text to show; what came from outside is escaped here.
  ///   - timeLimit: How long to wait for the end of the line.
  /// - Returns: The bytes as they were typed.
  /// - Throws: What kept the line from being read.
  package borrowing func ask(
    _ question: String, timeLimit: Duration = .standardPromptLimit
  ) throws(PromptError) -> [UInt8] {
    var line: [UInt8] = []
    var deadline = MonotonicDeadline(after: timeLimit)
    try signals.silence()
    try show(TextEscaping.escape(question))
    // Nobody echoed the Enter.
    defer { try? show("\n") }
    while true {
      switch try wait(until: deadline) {
      case .timedOut:
        throw .timedOut(timeLimit)
      case .resumed:
        line.removeAll()
        deadline = MonotonicDeadline(after: timeLimit)
        try signals.silence()
        try show("\n" + TextEscaping.escape(question))
      case .readable:
        guard let bytes = try read() else { continue }
        guard !bytes.isEmpty else { throw .cancelled }
        line += bytes
        guard line.count <= LineLimit.terminalBytes else { throw .tooLong(limit: LineLimit.terminalBytes - 1) }
        if line.last == UInt8(ascii: "\n") {
          line.removeLast()
          guard !line.contains(0) else { throw .containsNUL }
          return line
        }
      }
    }
  }

  /// Shows a line.
  ///
  /// What came from outside is escaped here.
  package borrowing func say(_ line: String) throws(PromptError) {
    try show(TextEscaping.escape(line) + "\n")
  }

  private enum Wakening { case timedOut, resumed, readable }

  private borrowing func wait(until deadline: MonotonicDeadline) throws(PromptError) -> Wakening {
    var events = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.wakening, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&events, nfds_t(events.count), deadline.remainingMilliseconds)
      if count == 0 { return .timedOut }
      if count < 0 {
        guard errno == EINTR else { throw .unreadable(source: "the terminal", errno: errno) }
        continue
      }
      if events[1].revents != 0 {
        guard signals.acknowledgeWakening().contains(.continued) else { continue }
        return .resumed
      }
      return .readable
    }
  }

  /// - Returns: What was typed; empty at its end; nil when a signal came between.
  private borrowing func read() throws(PromptError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: LineLimit.terminalBytes + 1)
    let count = Glibc.read(input, &buffer, buffer.count)
    if count >= 0 { return Array(buffer[..<count]) }
    switch errno {
    case EINTR, EAGAIN: return nil
    case let number: throw .unreadable(source: "the terminal", errno: number)
    }
  }

  private borrowing func show(_ text: String) throws(PromptError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(messages, $0.baseAddress, $0.count) }
      if count > 0 {
        rest.removeFirst(count)
      } else if errno != EINTR {
        throw .unreadable(source: "the terminal", errno: errno)
      }
    }
  }
}

extension Duration {
  /// How long a question waits for its answer: long enough to fetch a password, short enough not to
  /// stay open all day.
  package static var standardPromptLimit: Duration { .seconds(300) }
}

/// How long a secret line may be.
package enum LineLimit {
  /// From a pipe or a file.
  package static let bytes = 4096
  /// From a terminal, with its line ending.
  ///
  /// The terminal driver of Linux silently drops what does not fit into 4,096 bytes, so a line that
  /// fills it may have lost its end.
  package static let terminalBytes = 4095
}

/// A moment on the clock that nobody can set.
package struct MonotonicDeadline {
  private let nanoseconds: Int64

  package init(after duration: Duration) {
    let (seconds, attoseconds) = duration.components
    nanoseconds = Self.now + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// The time that is left, rounded up, for `poll`.
  package var remainingMilliseconds: Int32 {
    Int32(clamping: max(0, (nanoseconds - Self.now + 999_999) / 1_000_000))
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
