import Glibc

/// Asks for a name on the controlling terminal, with echo: what is asked for is no secret.
enum NameQuestion {
  /// Shows the question and returns the line, without its ending.
  ///
  /// - Parameters:
  ///   - question: The text to show.
  ///   - argument: What to give on the command line instead, for the message when there is no terminal.
  /// - Returns: The bytes of the line.
  /// - Throws: ``PromptFailure`` when there is no terminal, or nothing came from it.
  static func ask(_ question: String, insteadUse argument: String) throws(PromptFailure) -> [UInt8] {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .noTerminal(insteadUse: argument) }
    defer { close(descriptor) }
    let text = Array(question.utf8)
    guard text.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == text.count else {
      throw .unreadable(source: "the terminal", errno: errno)
    }
    var line = [UInt8](repeating: 0, count: LineLimit.terminalBytes + 1)
    while true {
      let count = read(descriptor, &line, line.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(source: "the terminal", errno: errno) }
      guard count > 0, line[count - 1] == UInt8(ascii: "\n") else { throw .cancelled }
      return Array(line[..<(count - 1)])
    }
  }
}
