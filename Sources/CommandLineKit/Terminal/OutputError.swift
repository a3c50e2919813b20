import Glibc

/// Output did not reach its stream.
package enum OutputError: Error, Hashable, Sendable {
  /// Nobody reads the pipe any more.
  case closedPipe
  /// The stream does not take it: full, closed, broken. The number is that of `errno`.
  case unwritable(stream: String, errno: Int32)

  /// What happened and why, in one line.
  package var message: String {
    switch self {
    case .closedPipe: "the reader closed the pipe"
    case .unwritable(let stream, let number): "\(stream) cannot be written: \(SystemError.text(number))"
    }
  }

  /// What to do about it, in one line.
  package var hint: String {
    "Send the output elsewhere, and repeat the command if it only shows something."
  }
}

/// The system's own words for an error number.
package enum SystemError {
  /// The system's own words for an error number, with the limit where no descriptor is left.
  package static func text(_ number: Int32) -> String {
    number == EMFILE ? "\(words(number)) (at most \(sysconf(Int32(_SC_OPEN_MAX))), see ulimit -n)" : words(number)
  }

  private static func words(_ number: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(number, start, buffer.count) == 0 else {
        return "error \(number)"
      }
      return String(cString: start)
    }
  }
}
