import Glibc

/// Standard output for data, standard error for messages.
package struct Streams {
  package let output: OutputStream
  package let errors: OutputStream

  /// The streams of this process.
  ///
  /// `environment` looks a variable up.
  package static func standard(noColor: Bool, environment: (String) -> String? = Environment.value) -> Streams {
    func stream(_ descriptor: Int32, _ name: String) -> OutputStream {
      let isTerminal = isatty(descriptor) == 1
      return OutputStream(
        descriptor: descriptor, name: name, isTerminal: isTerminal,
        style: Style(isTerminal: isTerminal, noColorOption: noColor, environment: environment),
        width: isTerminal ? TerminalWidth.columns(of: descriptor, environment: environment) : TerminalWidth.standard)
    }
    return Streams(output: stream(STDOUT_FILENO, "standard output"), errors: stream(STDERR_FILENO, "standard error"))
  }
}

/// How many columns a terminal has.
package enum TerminalWidth {
  /// Where nobody knows.
  package static let standard = 80

  /// What the terminal says, else `COLUMNS`, else the standard.
  package static func columns(of descriptor: Int32, environment: (String) -> String?) -> Int {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return environment("COLUMNS").flatMap { Int($0) }.flatMap { (20...1000).contains($0) ? $0 : nil } ?? standard
  }
}

/// The variables of this process.
package enum Environment {
  /// The value as text, repaired where it is not UTF-8: for variables that only choose.
  package static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The value as the bytes it has.
  package static func word(_ name: String) -> Word? {
    getenv(name).map { Word(cString: $0) }
  }
}
