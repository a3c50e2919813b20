import Glibc
import TextFormat

/// One of the two streams a command writes to.
///
/// What is written is kept until it is flushed, and flushing says whether it arrived: a result that
/// was lost on a full disk must not end with success. It belongs to one thread at a time.
package final class OutputStream {
  /// The name messages use.
  package let name: String
  /// Whether people look at it.
  package let isTerminal: Bool
  /// How text is emphasised here.
  package let style: Style
  /// Columns, if it is a terminal; otherwise the width that text for a file or a pipe is laid out
  /// in.
  package let width: Int

  package let descriptor: Int32
  private var buffer: [UInt8] = []

  package init(descriptor: Int32, name: String, isTerminal: Bool, style: Style, width: Int) {
    self.descriptor = descriptor
    self.name = name
    self.isTerminal = isTerminal
    self.style = style
    self.width = width
  }

  /// Keeps text to be written.
  ///
  /// The caller has escaped what came from outside.
  package func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
  }

  /// Keeps a line to be written.
  package func writeLine(_ text: String = "") {
    write(text)
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Writes what was kept and waits until the system took it.
  ///
  /// Afterwards nothing is kept, whatever happened.
  ///
  /// When the reader of a pipe is gone the process dies of SIGPIPE, in silence, as filters do. A
  /// caller that has something to say even then asks to survive it, and gets
  /// ``OutputError/closedPipe``.
  package func flush(survivingClosedPipe: Bool = false) throws(OutputError) {
    guard !buffer.isEmpty else { return }
    let bytes = buffer
    buffer.removeAll(keepingCapacity: true)
    let error = survivingClosedPipe ? withoutPipeSignal { send(bytes) } : send(bytes)
    switch error {
    case 0: return
    case EPIPE where survivingClosedPipe: throw .closedPipe
    case EPIPE: dieOfPipeSignal()
    case let number: throw .unwritable(stream: name, errno: number)
    }
  }

  /// Ends the process as a write to a pipe that nobody reads does, also where the parent had it
  /// ignore that signal.
  package func dieOfPipeSignal() -> Never {
    signal(SIGPIPE, SIG_DFL)
    var pipeSignal = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_UNBLOCK, &pipeSignal, nil)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
  }

  /// - Returns: 0, or the error number.
  private func send(_ bytes: [UInt8]) -> Int32 {
    bytes.withUnsafeBytes { raw in
      var rest = raw[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          // Somebody else made the shared stream non-blocking.
          var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          if poll(&ready, 1, -1) < 0, errno != EINTR { return errno }
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Runs `body` with SIGPIPE held back, and takes one that it caused away.
  private func withoutPipeSignal(_ body: () -> Int32) -> Int32 {
    var pipeSignal = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
    let error = body()
    if error == EPIPE, sigismember(&before, SIGPIPE) == 0 {
      var noWait = timespec()
      while sigtimedwait(&pipeSignal, nil, &noWait) < 0, errno == EINTR {}
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return error
  }
}

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
