import Glibc
import TextFormat

/// Uses the controlling terminal as a full screen during the lifetime of the value.
///
/// At the end of its lifetime, and before a signal kills or stops the process, the terminal is
/// restored; see ``TerminalSignals``. It shows frames and reports events; it makes no decisions.
package struct ScreenTerminal: ~Copyable {
  /// The events that ended a wait.
  package struct Happened: Sendable {
    /// Whether the user typed something.
    package var hasKeys = false
    /// Whether the size of the terminal changed, or another program drew on it.
    package var needsFrame = false
    /// Whether the terminal was closed.
    package var isGone = false

    /// Whether anything happened within the limit.
    package var isAnything: Bool { hasKeys || needsFrame || isGone }
  }

  private let descriptor: Int32
  private let signals: TerminalSignals
  private let colors: Bool
  private let isASCII: Bool
  private var decoder = KeyDecoder()
  /// The time when an unfinished key counts as complete.
  private var settles: MonotonicDeadline?
  /// The bytes of the last read: wiped after each read, because they may be part of a secret.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
  private var shown: Frame?
  /// Bytes to write before the next frame: modes, and text for the clipboard.
  private var before: [UInt8] = []

  /// Takes over the controlling terminal.
  ///
  /// - Parameters:
  ///   - colors: Whether colour may be used.
  ///   - isASCII: Whether it shows ASCII alone.
  /// - Throws: ``PromptError`` when there is none, or it is in use.
  package init(colors: Bool, isASCII: Bool = false) throws(PromptError) {
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
    self.isASCII = isASCII
  }

  deinit {
    signals.finish()
    close(descriptor)
    buffer.deallocate()
  }

  /// An empty frame with the terminal's size.
  package var frame: Frame {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return Frame(columns: 80, rows: 24)
    }
    // Limited to more than any screen has, because any program can set the size.
    return Frame(columns: min(Int(size.ws_col), 1_000), rows: min(Int(size.ws_row), 500))
  }

  /// Shows a frame: writes the differences from the previous frame in one write, if there are any.
  package mutating func show(_ frame: Frame) throws(PromptError) {
    // Another program may have changed the modes meanwhile.
    if shown == nil { before += Array((decoder.readsMouse ? Self.mouseOn : Self.mouseOff).utf8) }
    let bytes = before + FrameDiff.bytes(from: shown, to: frame, colors: colors, isASCII: isASCII)
    (shown, before) = (frame, [])
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
        // The terminal was closed; the next wait reports it.
        return
      } else if errno != EINTR {
        throw .unreadable(source: "the terminal", errno: errno)
      }
    }
  }

  private static let mouseOn = "\u{1B}[?1000;1006h"
  private static let mouseOff = "\u{1B}[?1000;1006l"

  /// Sets whether mouse clicks and the wheel are keys, starting with the next frame.
  package mutating func readMouse(_ isOn: Bool) {
    guard isOn != decoder.readsMouse else { return }
    decoder.readsMouse = isOn
    before += Array((isOn ? Self.mouseOn : Self.mouseOff).utf8)
  }

  /// Copies text to the clipboard with the next frame, if the terminal supports it (OSC 52).
  package mutating func copy(_ text: String) {
    before += Array("\u{1B}]52;c;\(Self.base64(text))\u{7}".utf8)
  }

  /// The text in Base64 with its own digits and padding (RFC 4648, section 4).
  static func base64(_ text: String) -> String {
    let digits = String(Base64URL.text(Array(text.utf8)).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
  }

  /// Redraws the next frame as a whole, because the content of the terminal is uncertain.
  package mutating func forget() {
    shown = nil
  }

  /// Waits for a key, a new size, another descriptor if one is given, or the end of the limit.
  ///
  /// Without a limit it waits forever. The caller reads the other descriptor.
  ///
  /// - Parameters:
  ///   - other: The other descriptor.
  ///   - limit: The longest wait.
  ///   - type: Receives each key; this type stores none, because they may be secret.
  /// - Returns: What happened; nothing at the end of the limit.
  /// - Throws: ``PromptError`` when the terminal cannot be read.
  package mutating func wait(
    for other: Int32 = -1, atMost limit: Duration?, type: (Key) -> Void
  ) throws(PromptError) -> Happened {
    var happened = Happened()
    let deadline = limit.map { MonotonicDeadline(after: $0) }
    var events: [pollfd] = []
    for descriptor in [descriptor, signals.wakening, other] {
      events.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    while true {
      let remaining = deadline?.remainingMilliseconds ?? -1
      let untilSettled = settles?.remainingMilliseconds ?? -1
      let shorter = remaining < 0 ? untilSettled : untilSettled < 0 ? remaining : min(remaining, untilSettled)
      let count = poll(&events, nfds_t(events.count), shorter)
      if count < 0 {
        guard errno == EINTR else { throw .unreadable(source: "the terminal", errno: errno) }
        continue
      }
      if count == 0 {
        if settles?.remainingMilliseconds == 0 {
          settles = nil
          if let key = decoder.settle() {
            happened.hasKeys = true
            type(key)
          }
        }
        if happened.isAnything || deadline?.remainingMilliseconds == 0 { return happened }
        continue
      }
      if events[1].revents != 0 {
        if signals.acknowledgeWakening().contains(.continued), try !takeAgain() {
          happened.isGone = true
          return happened
        }
        shown = nil
        happened.needsFrame = true
      }
      if events[0].revents != 0 { try read(&happened, type) }
      if happened.isAnything || events[2].revents != 0 { return happened }
    }
  }

  /// Takes over the terminal again after a stop; in the background, waits until the process is in
  /// the foreground.
  ///
  /// - Returns: False if the terminal was closed, because a terminal that hangs up also continues
  ///   its processes.
  private func takeAgain() throws(PromptError) -> Bool {
    do throws(PromptError) {
      try signals.silence()
      return true
    } catch {
      if case .unreadable(_, EIO) = error { return false }
      throw error
    }
  }

  private mutating func read(_ happened: inout Happened, _ type: (Key) -> Void) throws(PromptError) {
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 {
      for byte in buffer[..<count] {
        if let key = decoder.decode(byte) { type(key) }
      }
      if let start = buffer.baseAddress { explicit_bzero(start, count) }
      settles = decoder.patience.map { MonotonicDeadline(after: $0) }
      happened.hasKeys = true
    } else if count == 0 || errno == EIO {
      happened.isGone = true
    } else if errno != EAGAIN, errno != EINTR {
      throw .unreadable(source: "the terminal", errno: errno)
    }
  }
}
