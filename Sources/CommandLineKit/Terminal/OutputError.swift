import TextFormat

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
    case .unwritable(let stream, let number): "\(stream) cannot be written: \(ErrorNumber(number).explanation)"
    }
  }

  /// What to do about it, in one line.
  package var hint: String {
    "Send the output elsewhere, and repeat the command if it only shows something."
  }
}
