import Glibc

/// The standard streams: standard output for data, standard error for messages.
package struct Streams {
  package let output: OutputStream
  package let errors: OutputStream

  /// The streams of this process.
  package static func standard(noColor: Bool) -> Streams {
    Streams(
      output: OutputStream(STDOUT_FILENO, "standard output", noColor: noColor),
      errors: OutputStream(STDERR_FILENO, "standard error", noColor: noColor))
  }
}

/// The number of columns of a terminal.
package enum TerminalWidth {
  /// The default if the width is unknown.
  package static let standard = 80

  /// The width of the terminal, else `COLUMNS`, else the default.
  package static func columns(of descriptor: Int32, environment: (String) -> String?) -> Int {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return environment("COLUMNS").flatMap { Int($0) }.flatMap { (20...1000).contains($0) ? $0 : nil } ?? standard
  }

  /// The columns and rows of the terminal, else 80 and 24.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    // Limited to more than any screen has, because any program can set the size.
    return (min(Int(size.ws_col), 1_000), min(Int(size.ws_row), 500))
  }
}

/// The environment variables of this process.
package enum Environment {
  /// The value as text, with invalid UTF-8 replaced, for variables that only select an option.
  package static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Whether the locale names another encoding than UTF-8; false if no variable names a locale.
  package static var hasOtherEncoding: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(value).first { !$0.isEmpty }?.lowercased()
    guard let locale else { return false }
    return !["utf-8", "utf8"].contains { locale.hasSuffix($0) || locale.contains($0 + "@") }
  }

  /// The value as bytes.
  package static func word(_ name: String) -> Word? { getenv(name).map { Word(cString: $0) } }
}

/// Creates a pipe that wakes up a thread which waits until its `output` is readable.
///
/// Its ends never block and stay in this process.
///
/// - Returns: The ends, or nil if no descriptor is left, with the error in `errno`.
package func makeWakeningPipe() -> (output: Int32, input: Int32)? {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { return nil }
  for end in ends {
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    _ = fcntl(end, F_SETFL, O_NONBLOCK)
  }
  return (ends[0], ends[1])
}

/// Handles descriptors 0, 1 and 2, which may be closed when a process starts.
package enum StandardDescriptors {
  /// Opens each closed one of the three, so that no file opened later gets its number and the
  /// output.
  ///
  /// Call it before opening anything. The replacement cannot be read or written (`EBADF`), like the
  /// closed descriptor, so that lost output is still detected.
  package static func occupyClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // This number is the lowest free one, because those below it are in use.
      _ = open("/", pathOnly)
    }
  }

  /// `O_PATH` of <fcntl.h>, which the importer omits: the descriptor only refers to a location,
  /// here the root directory.
  private static let pathOnly: Int32 = 0o10_000_000
}
