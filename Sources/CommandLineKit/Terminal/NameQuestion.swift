import Glibc

/// Prompts for a name on the controlling terminal, with echo, because the name is not secret.
package enum NameQuestion {
  /// Shows the question and returns the line, without its line ending.
  ///
  /// - Parameters:
  ///   - question: The text to show.
  ///   - noun: The requested item, for the message when there is no terminal.
  ///   - instead: How to provide the name and the following secret without a terminal.
  ///   - timeLimit: The longest wait for the line.
  /// - Returns: The bytes of the line.
  /// - Throws: ``PromptError`` when there is no terminal, or no line came from it.
  package static func ask(
    _ question: String, for noun: String = "name", insteadUse instead: String,
    timeLimit: Duration = .standardPromptLimit
  ) throws(PromptError) -> [UInt8] {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .unopened(errno, for: noun, insteadUse: instead) }
    defer { close(descriptor) }
    let text = Array(question.utf8)
    guard text.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == text.count else {
      throw .unreadable(source: "the terminal", errno: errno)
    }
    let deadline = MonotonicDeadline(after: timeLimit)
    var line = [UInt8](repeating: 0, count: LineLimit.terminalBytes + 1)
    while true {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&event, 1, deadline.remainingMilliseconds) == 0 {
        endLine(descriptor)
        throw .timedOut(timeLimit)
      }
      guard event.revents != 0 else { continue }
      let count = read(descriptor, &line, line.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(source: "the terminal", errno: errno) }
      guard count > 0, line[count - 1] == UInt8(ascii: "\n") else {
        endLine(descriptor)
        throw .cancelled
      }
      return Array(line[..<(count - 1)])
    }
  }

  /// Moves to the next line: without an Enter the cursor is still behind the question, and the
  /// message would start there.
  private static func endLine(_ descriptor: Int32) {
    var newline = UInt8(ascii: "\n")
    // If the write fails, the terminal was closed, and the message says so.
    _ = write(descriptor, &newline, 1)
  }
}
