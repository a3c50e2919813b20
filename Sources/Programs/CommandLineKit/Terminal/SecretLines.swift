import Glibc

/// Reads secrets from standard input, for scripts: the whole input, or line by line if the last
/// line is optional.
///
/// It removes one line ending (`\n` or `\r\n`) from each line and nothing else, not even spaces;
/// the last line may have none. On a terminal it shows a prompt, without echo.
package final class SecretLines {
  private let descriptor: Int32
  private let messages: Int32
  private let timeLimit: Duration
  /// The bytes that were read and not yet returned.
  private var bytes: [UInt8] = []
  private var isAtEnd = false
  /// The items that lines were asked for.
  private var expected: [String] = []

  /// Creates a reader, which does not read anything yet.
  package init(
    descriptor: Int32 = STDIN_FILENO, messages: Int32 = STDERR_FILENO, timeLimit: Duration = .standardPromptLimit
  ) {
    self.descriptor = descriptor
    self.messages = messages
    self.timeLimit = timeLimit
  }

  /// Reads the whole input, which must have one line for each name.
  ///
  /// Further input is an error, as for `--password-stdin` of docker and `--with-token` of gh,
  /// because it is probably the wrong input.
  ///
  /// - Parameter names: The item in each line, for prompts: "password".
  /// - Returns: The lines.
  /// - Throws: ``CommandError`` for anything but exactly these lines.
  package func whole(_ names: [String]) throws(CommandError) -> [[UInt8]] {
    let lines = try lines(names)
    let deadline = SuspendingClock.now + timeLimit
    while !isAtEnd, isatty(descriptor) != 1 {
      guard try read(within: deadline.remainingMilliseconds) else { throw .timedOut(timeLimit) }
      guard waiting == 0 else { throw .tooManyLines(than: names) }
    }
    return lines
  }

  /// Reads one line for each name.
  ///
  /// It does not wait for an optional line that may follow.
  ///
  /// - Parameters:
  ///   - names: The item in each line, for prompts: "password".
  ///   - last: The item in an optional line that may follow; nil if none may.
  /// - Returns: The lines.
  /// - Throws: ``CommandError`` for a missing line, for a line that cannot be a secret, and for
  ///   extra lines that have already arrived.
  package func lines(_ names: [String], followedBy last: String? = nil) throws(CommandError) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for name in names {
      guard let line = try line(name) else { throw .missingLine(of: name) }
      guard !line.isEmpty else { throw .emptyLine(of: name) }
      lines.append(line)
    }
    expected = names + [last].compactMap(\.self)
    try refuse(moreThan: last == nil ? 0 : 1)
    return lines
  }

  /// Reads the last line; nil if it is missing or empty.
  package func last(_ name: String) throws(CommandError) -> [UInt8]? {
    let line = try line(name)
    try refuse(moreThan: 0)
    return line == [] ? nil : line
  }

  /// Whether a line has arrived that was not returned.
  package var hasMore: Bool { bytes.contains { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } }

  private func line(_ name: String) throws(CommandError) -> [UInt8]? {
    guard let line = isatty(descriptor) == 1 ? try ask(name) : try next() else { return nil }
    guard !line.contains(0) else { throw .containsNUL }
    guard line.count <= LineLimit.bytes else { throw .tooLong(limit: LineLimit.bytes) }
    return line
  }

  private func ask(_ name: String) throws(CommandError) -> [UInt8] {
    let terminal = try Prompt(input: descriptor, messages: messages)
    return try terminal.line("Reading the \(name) from standard input; it does not show: ", within: timeLimit)
  }

  private func next() throws(CommandError) -> [UInt8]? {
    let deadline = SuspendingClock.now + timeLimit
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        var line = Array(bytes[..<end])
        bytes.removeSubrange(...end)
        // A carriage return is part of a line ending only before a line feed.
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
      }
      guard bytes.count <= LineLimit.bytes + 1 else { throw .tooLong(limit: LineLimit.bytes) }
      if isAtEnd {
        defer { bytes = [] }
        return bytes.isEmpty ? nil : bytes
      }
      guard try read(within: deadline.remainingMilliseconds) else { throw .timedOut(timeLimit) }
    }
  }

  /// Refuses further input that has already arrived, because it is probably the wrong input.
  private func refuse(moreThan more: Int) throws(CommandError) {
    let most = (more + 1) * (LineLimit.bytes + 2)
    while !isAtEnd, bytes.count <= most, isatty(descriptor) == 0 {
      guard try read(within: 0) else { break }
    }
    guard waiting <= more else { throw .tooManyLines(than: expected) }
  }

  /// The number of lines that were read and not yet returned.
  ///
  /// The text after the last line ending counts as a line only if it is not empty.
  private var waiting: Int {
    let end = UInt8(ascii: "\n")
    return bytes.count { $0 == end } + (bytes.isEmpty || bytes.last == end ? 0 : 1)
  }

  /// Reads the available input.
  ///
  /// - Returns: False if nothing came in time.
  private func read(within milliseconds: Int32) throws(CommandError) -> Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(&event, 1, milliseconds)
    if ready == 0 { return false }
    if ready < 0, errno == EINTR { return true }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count == 0 { isAtEnd = true }
    if count > 0 {
      bytes += buffer[..<count]
    } else if count < 0, errno != EINTR, errno != EAGAIN {
      throw .unreadable("standard input")
    }
    return true
  }
}
