import Glibc
import TextFormat

/// Prompts on a terminal, whose echo is off during the lifetime of the value unless typed text may
/// show.
///
/// Keep one value for the prompt and the check of the answer, so that typed text stays hidden
/// during the delay of a refusal. At the end of its lifetime the terminal is restored, and text
/// that was typed meanwhile is discarded. Signals that kill or stop the process restore the
/// terminal first; see ``TerminalSignals``.
package struct Prompt: ~Copyable {
  private let messages: Int32
  private let isEchoed: Bool
  private let signals: TerminalSignals

  /// Opens the controlling terminal, and switches off its echo unless the lines are not secret.
  ///
  /// - Parameters:
  ///   - noun: The requested item, for the message when there is no terminal.
  ///   - instead: What to give without a terminal, and how.
  ///   - isEchoed: Whether typed text shows.
  /// - Throws: ``CommandError`` when there is no terminal, or it cannot be used.
  package init(for noun: String = "password", insteadUse instead: String, isEchoed: Bool = false) throws(CommandError) {
    let descriptor = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      let error = ErrorNumber.current
      throw error.isOfDescriptors ? .unreadable("the terminal", error) : .noTerminal(for: noun, insteadUse: instead)
    }
    signals = try TerminalSignals(
      TerminalDescriptor(number: descriptor, isOwned: true), for: isEchoed ? .visibleLine : .hiddenLine)
    messages = descriptor
    self.isEchoed = isEchoed
  }

  /// Takes over a terminal that is already open.
  ///
  /// It reads from `input`, without echo, and writes prompts to `messages`.
  init(input: Int32, messages: Int32) throws(CommandError) {
    signals = try TerminalSignals(TerminalDescriptor(number: input, isOwned: false), for: .hiddenLine)
    self.messages = messages
    isEchoed = false
  }

  /// Opens the terminal for a secret, which a flag reads from standard input instead.
  package init(for noun: String = "password", insteadUse flag: Option<Bool>) throws(CommandError) {
    try self.init(for: noun, insteadUse: "it on standard input with \(flag.declaration.flag)")
  }

  /// The number of tries for one answer.
  ///
  /// More than one, because a mistyped password should not end the command; limited, so that the
  /// command ends.
  package static let attempts = 3

  /// Prompts for a line.
  ///
  /// It prompts again after an empty line, unless that is an answer: Enter alone does not count as
  /// a wrong guess.
  package borrowing func ask(
    _ question: String, mayBeEmpty: Bool = false, within limit: Duration = .standardPromptLimit
  ) throws(CommandError) -> [UInt8] {
    for attempt in 1...Self.attempts {
      if attempt > 1 { try say("Nothing was entered; try again.") }
      let typed = try line(question, within: limit)
      if mayBeEmpty || !typed.isEmpty { return typed }
    }
    throw .nothingEntered
  }

  /// Prompts for one line and returns its bytes without the line ending.
  ///
  /// It discards text that was typed before the prompt. After `fg` it shows the prompt again, and
  /// the user starts over.
  ///
  /// - Parameters:
  ///   - question: The text to show; this escapes untrusted parts.
  ///   - limit: The longest wait for the end of the line.
  /// - Returns: The bytes as typed.
  /// - Throws: ``CommandError`` if the line could not be read.
  borrowing func line(_ question: String, within limit: Duration = .standardPromptLimit) throws(CommandError) -> [UInt8]
  {
    var line: [UInt8] = []
    let question = wrapped(question)
    var prompt = question
    // What is shown next starts on a line of its own, unless an Enter was echoed.
    defer { if !isEchoed || line.last != UInt8(ascii: "\n") { try? show("\n") } }
    while true {
      line.removeAll()
      let deadline = SuspendingClock.now + limit
      try signals.silence()
      try show(prompt)
      while true {
        let event = try next(until: deadline)
        if case .late = event { throw .timedOut(limit) }
        guard case .typed(let bytes) = event else { break }
        guard !bytes.isEmpty else { throw .inputEnded }
        line += bytes
        guard line.count <= LineLimit.terminalBytes else { throw .tooLong(limit: LineLimit.terminalBytes - 1) }
        if line.last == UInt8(ascii: "\n") {
          guard !line.contains(0) else { throw .containsNUL }
          return Array(line.dropLast())
        }
      }
      prompt = "\n" + question
    }
  }

  /// Shows a line.
  ///
  /// This escapes untrusted text.
  package borrowing func say(_ line: String) throws(CommandError) {
    try show(wrapped(line) + "\n")
  }

  private borrowing func wrapped(_ text: String) -> String {
    Paragraph.message(
      TextEscaping.escape(text), width: TerminalWidth.columns(of: messages, environment: Environment.value))
  }

  /// Waits until one of the descriptors can be read; what is typed meanwhile has no effect.
  ///
  /// - Returns: The descriptors; none at the deadline, or when the process was continued after a
  ///   stop.
  /// - Throws: ``CommandError`` at the end of the input, such as after `^D`.
  package borrowing func wait(
    for others: [Int32], until deadline: SuspendingClock.Instant
  ) throws(CommandError) -> [Int32] {
    if !signals.isSilent { try signals.silence() }
    while true {
      switch try next(others, until: deadline) {
      case .typed(let bytes): if bytes.isEmpty { throw .inputEnded }
      case .ready(let descriptors): return descriptors
      case .continued, .late: return []
      }
    }
  }

  /// The event that ends a wait for input.
  private enum Event {
    /// Typed bytes; none at the end of the input.
    case typed([UInt8])
    /// Other descriptors.
    case ready([Int32])
    /// The process was continued after a stop.
    case continued
    /// The deadline.
    case late
  }

  private borrowing func next(
    _ others: [Int32] = [], until deadline: SuspendingClock.Instant
  ) throws(CommandError) -> Event {
    let input = signals.terminal.number
    var events = ([input, signals.wakening] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: LineLimit.terminalBytes + 1)
    while true {
      var count = poll(&events, nfds_t(events.count), deadline.remainingMilliseconds)
      if count == 0 { return .late }
      if count > 0, events[1].revents != 0 {
        if signals.acknowledgeWakening() { return .continued }
        continue
      }
      if count > 0, events[0].revents == 0 { return .ready(events.filter { $0.revents != 0 }.map(\.fd)) }
      if count > 0 { count = Int32(Glibc.read(input, &buffer, buffer.count)) }
      if count >= 0 { return .typed(Array(buffer[..<Int(count)])) }
      guard errno == EINTR || errno == EAGAIN else { throw .unreadable("the terminal") }
    }
  }

  /// The columns and rows of the terminal.
  package var size: (columns: Int, rows: Int) { TerminalWidth.size(of: messages) }

  /// Shows text as it is.
  ///
  /// The caller must have escaped untrusted text.
  package borrowing func show(_ text: String) throws(CommandError) {
    let error = writeAll(Array(text.utf8)[...], to: messages)
    guard error == 0 else { throw .unreadable("the terminal", ErrorNumber(error)) }
  }
}

extension Duration {
  /// The default time limit of a prompt: long enough to fetch a password, short enough not to stay
  /// open all day.
  package static var standardPromptLimit: Duration { .seconds(300) }
}

/// The maximum length of a secret line.
package enum LineLimit {
  /// From a pipe or a file.
  package static let bytes = 4096
  /// From a terminal, with its line ending.
  ///
  /// The terminal driver of Linux silently drops what does not fit into 4,096 bytes, so a line that
  /// fills it may have lost its end.
  package static let terminalBytes = 4095
}

extension SuspendingClock.Instant {
  /// The time until this moment in milliseconds, rounded up, for `poll`.
  package var remainingMilliseconds: Int32 {
    let left = SuspendingClock.now.duration(to: self) / .milliseconds(1)
    return Int32(min(max(0, left.rounded(.up)), Double(Int32.max)))
  }
}
