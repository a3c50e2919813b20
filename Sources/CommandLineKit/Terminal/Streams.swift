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

  /// Whether the locale names another encoding than UTF-8; where nothing names a locale, it does not.
  package static var hasOtherEncoding: Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let locale = value(name)?.lowercased(), !locale.isEmpty else { continue }
      return !locale.hasSuffix("utf-8") && !locale.hasSuffix("utf8") && !locale.contains("utf-8@")
        && !locale.contains("utf8@")
    }
    return false
  }

  /// The value as the bytes it has.
  package static func word(_ name: String) -> Word? {
    getenv(name).map { Word(cString: $0) }
  }
}

/// Descriptors 0, 1 and 2, which a process may be started without.
package enum StandardDescriptors {
  /// Occupies each of the three that is closed, so that no file opened later becomes one of them
  /// and gets the output.
  ///
  /// To be called before anything is opened. The replacement can neither be read nor written
  /// (`EBADF`), just as the closed descriptor, so that the loss of output is noticed as before.
  package static func occupyClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is this one, because those below it are taken.
      _ = open("/", pathOnly)
    }
  }

  /// `O_PATH` of <fcntl.h>, which the importer leaves out: the descriptor only names a place, here
  /// the root.
  private static let pathOnly: Int32 = 0o10_000_000
}
