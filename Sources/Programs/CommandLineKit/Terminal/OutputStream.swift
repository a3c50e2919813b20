import Glibc

/// One of the two output streams of a command.
///
/// It buffers text until `flush`, which reports whether the text arrived: a command must not
/// succeed if its result was lost on a full disk. Use it on one thread at a time.
package final class OutputStream {
  /// The name for messages.
  package let name: String
  package let isTerminal: Bool
  /// The emphasis of text on this stream.
  package let style: Style
  /// The columns of the terminal; for a file or a pipe, the width for wrapping text.
  package let width: Int
  /// The columns of the terminal, to which tables and messages are fitted; nil for a file or a
  /// pipe.
  package var terminalWidth: Int? { isTerminal ? width : nil }

  package let descriptor: Int32
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32, _ name: String, noColor: Bool) {
    (self.descriptor, self.name) = (descriptor, name)
    isTerminal = isatty(descriptor) == 1
    style = Style(isTerminal: isTerminal, noColorOption: noColor, environment: Environment.value)
    width = isTerminal ? TerminalWidth.columns(of: descriptor, environment: Environment.value) : TerminalWidth.standard
  }

  /// Buffers text.
  ///
  /// The caller must have escaped untrusted text.
  package func write(_ text: String) { buffer.append(contentsOf: text.utf8) }

  package func writeLine(_ text: String = "") {
    write(text)
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Writes the buffer and waits until the system has accepted it.
  ///
  /// Afterwards the buffer is empty, even after an error.
  ///
  /// If the reader of a pipe has closed it, the process dies silently of SIGPIPE, as filters do.
  /// With `survivingClosedPipe`, the caller gets ``CommandError`` instead and can report
  /// something.
  package func flush(survivingClosedPipe: Bool = false) throws(CommandError) {
    guard !buffer.isEmpty else { return }
    let bytes = buffer
    buffer.removeAll(keepingCapacity: true)
    var before = sigaction()
    if survivingClosedPipe {
      var ignored = sigaction()
      ignored.__sigaction_handler.sa_handler = SIG_IGN
      sigaction(SIGPIPE, &ignored, &before)
    }
    let error = writeAll(bytes[...], to: descriptor)
    if survivingClosedPipe { sigaction(SIGPIPE, &before, nil) }
    switch error {
    case 0: return
    case EPIPE where survivingClosedPipe: throw .closedPipe
    case EPIPE: dieOfPipeSignal()
    case let number: throw .unwritable(name, number)
    }
  }

  /// Ends the process as a write to a closed pipe does, even if the parent process made it ignore
  /// SIGPIPE.
  package func dieOfPipeSignal() -> Never {
    signal(SIGPIPE, SIG_DFL)
    var pipeSignal = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_UNBLOCK, &pipeSignal, nil)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
  }
}

/// Writes all bytes, and waits where another process made a shared descriptor non-blocking.
///
/// - Returns: Zero, or the error number.
package func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int32 {
  var rest = bytes
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno == EAGAIN {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&ready, 1, -1) < 0, errno != EINTR { return errno }
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}
