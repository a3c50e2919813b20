import Glibc

/// The controlling terminal as a whole screen, from when this is made until it is gone.
///
/// On every way out of its scope, and before a signal kills or stops the process, the terminal is
/// as it was before; see ``TerminalSignals``. It shows frames and says what happened; it decides
/// nothing.
package struct ScreenTerminal: ~Copyable {
  /// What ended a wait.
  package struct Happened: Sendable {
    /// What was typed.
    package var keys: [Key] = []
    /// Whether the terminal has another size, or somebody else has drawn on it.
    package var needsFrame = false
    /// Whether the terminal is gone.
    package var isGone = false

    /// Whether anything happened before the end of the limit.
    package var isAnything: Bool { !keys.isEmpty || needsFrame || isGone }
  }

  private let descriptor: Int32
  private let signals: TerminalSignals
  private let colors: Bool
  private var decoder = KeyDecoder()
  private var shown: Frame?

  /// Takes the controlling terminal.
  ///
  /// - Parameter colors: Whether colour may be used.
  /// - Throws: ``PromptError`` when there is none, or it is in use.
  package init(colors: Bool) throws(PromptError) {
    // Not waited for when it takes nothing, so that a signal acts at once. The mode is this
    // opening's alone.
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(source: "the terminal", errno: errno) }
    do throws(PromptError) {
      let signals = try TerminalSignals(terminal: descriptor, for: .fullScreen)
      do throws(PromptError) { try signals.silence() } catch {
        signals.finish()
        throw error
      }
      self.signals = signals
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.colors = colors
  }

  deinit {
    signals.finish()
    close(descriptor)
  }

  /// An empty frame of the terminal's size.
  package var frame: Frame {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return Frame(columns: 80, rows: 24)
    }
    // More than any screen has: a size is a number that anybody can set.
    return Frame(columns: min(Int(size.ws_col), 1_000), rows: min(Int(size.ws_row), 500))
  }

  /// Shows a frame: one write of what differs from the frame before, none where nothing does.
  package mutating func show(_ frame: Frame) throws(PromptError) {
    let bytes = FrameDiff.bytes(from: shown, to: frame, colors: colors)
    shown = frame
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
        guard Int32(ready.revents) & (POLLERR | POLLHUP | POLLNVAL) == 0 else { return }
      } else if errno == EIO {
        // It is gone, as the next wait finds out.
        return
      } else if errno != EINTR {
        throw .unreadable(source: "the terminal", errno: errno)
      }
    }
  }

  /// Waits for a key, another size, another descriptor if one is given, or the end of the limit.
  ///
  /// Without a limit it waits without end. Whoever gave the other descriptor reads it.
  package mutating func wait(for other: Int32 = -1, atMost limit: Duration?) throws(PromptError) -> Happened {
    var happened = Happened()
    let deadline = limit.map { MonotonicDeadline(after: $0) }
    var events: [pollfd] = []
    for descriptor in [descriptor, signals.wakening, other] {
      events.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    while true {
      let remaining = deadline?.remainingMilliseconds
      let limit = decoder.isUndecided ? min(Self.escapeDelay, remaining ?? .max) : remaining ?? -1
      let count = poll(&events, nfds_t(events.count), limit)
      if count < 0 {
        guard errno == EINTR else { throw .unreadable(source: "the terminal", errno: errno) }
        continue
      }
      if count == 0 {
        happened.keys += decoder.settle()
        return happened
      }
      if events[1].revents != 0 {
        if signals.acknowledgeWakening().contains(.continued), try !takeAgain() {
          happened.isGone = true
          return happened
        }
        shown = nil
        happened.needsFrame = true
      }
      if events[0].revents != 0 { try read(&happened) }
      if happened.isAnything || events[2].revents != 0 { return happened }
    }
  }

  /// Takes the terminal again after a stop; in the background this waits until the process is in
  /// front.
  ///
  /// - Returns: False when it is gone: a terminal that hangs up continues its processes too.
  private func takeAgain() throws(PromptError) -> Bool {
    do throws(PromptError) {
      try signals.silence()
      return true
    } catch {
      if case .unreadable(_, EIO) = error { return false }
      throw error
    }
  }

  /// How long the rest of an escape sequence may take, in milliseconds: longer than a slow line,
  /// shorter than a person notices.
  private static let escapeDelay: Int32 = 50

  private mutating func read(_ happened: inout Happened) throws(PromptError) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      happened.keys += decoder.decode(Array(buffer[..<count]))
    } else if count == 0 || errno == EIO {
      happened.isGone = true
    } else if errno != EAGAIN, errno != EINTR {
      throw .unreadable(source: "the terminal", errno: errno)
    }
  }
}
