import Glibc

/// Reads secrets from standard input, for scripts.
///
/// The whole input is exactly the lines that are asked for, as it is for the `--password-stdin` of
/// docker and the `--with-token` of gh: input that goes on is refused, because then it is probably
/// not what it was taken for. One line ending (`\n` or `\r\n`) is removed from each line and
/// nothing else, blanks included; the last may have none.
package enum SecretInput {
  /// Reads a line for each name.
  ///
  /// On a terminal it says on `messages` what is awaited, and keeps the echo off.
  ///
  /// - Parameters:
  ///   - names: What each line is, for people who type: "password".
  ///   - descriptor: What to read.
  ///   - messages: Where to say what is awaited.
  ///   - timeLimit: How long to wait for the whole input, or for each line that is typed.
  /// - Returns: The lines without their endings.
  /// - Throws: A refusal of whatever is not exactly these lines.
  package static func lines(
    _ names: [String], descriptor: Int32 = STDIN_FILENO, messages: Int32 = STDERR_FILENO,
    timeLimit: Duration = .standardPromptLimit
  ) throws(PromptError) -> [[UInt8]] {
    let lines =
      isatty(descriptor) == 1
      ? try ask(names, descriptor: descriptor, messages: messages, timeLimit: timeLimit)
      : try split(read(descriptor, lines: names.count, timeLimit: timeLimit), count: names.count)
    for (index, line) in lines.enumerated() {
      guard !line.isEmpty else { throw .emptyLine(number: index + 1) }
      guard !line.contains(0) else { throw .containsNUL }
      guard line.count <= LineLimit.bytes else { throw .tooLong(limit: LineLimit.bytes) }
    }
    return lines
  }

  private static func ask(
    _ names: [String], descriptor: Int32, messages: Int32, timeLimit: Duration
  ) throws(PromptError) -> [[UInt8]] {
    let terminal = try SilentTerminal.open(input: descriptor, messages: messages)
    var lines: [[UInt8]] = []
    for name in names {
      lines.append(
        try terminal.ask("Reading the \(name) from standard input; it does not show: ", timeLimit: timeLimit))
    }
    return lines
  }

  private static func read(
    _ descriptor: Int32, lines: Int, timeLimit: Duration
  ) throws(PromptError) -> [UInt8] {
    let limit = lines * (LineLimit.bytes + 2)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let deadline = MonotonicDeadline(after: timeLimit)
    while bytes.count <= limit {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&event, 1, deadline.remainingMilliseconds)
      if ready == 0 { throw .timedOut(timeLimit) }
      if ready < 0, errno == EINTR { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += buffer[..<count]
      } else if errno != EINTR, errno != EAGAIN {
        throw .unreadable(source: "standard input", errno: errno)
      }
    }
    // A first line that is too long is the likelier mistake than too many lines.
    guard bytes.prefix(LineLimit.bytes + 2).contains(UInt8(ascii: "\n")) else { throw .tooLong(limit: LineLimit.bytes) }
    throw .tooManyLines(expected: lines)
  }

  private static func split(_ bytes: [UInt8], count: Int) throws(PromptError) -> [[UInt8]] {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    // A carriage return is part of a line ending only before the rest of it.
    for index in lines.indices.dropLast() where lines[index].last == UInt8(ascii: "\r") {
      lines[index].removeLast()
    }
    // What follows the last line ending is a line only if there is something in it.
    if lines.last == [] { lines.removeLast() }
    guard lines.count <= count else { throw .tooManyLines(expected: count) }
    guard lines.count == count else { throw .missingLine(number: lines.count + 1) }
    return lines
  }
}
