import Glibc

/// The controlling terminal as a whole screen, from when this is made until it is gone.
///
/// On every way out of its scope, and before a signal kills or stops the process, the terminal is
/// as it was before; see ``TerminalSignals``. It shows frames and says what happened; it decides
/// nothing.
package struct ScreenTerminal: ~Copyable {
  /// What ended a wait.
  package struct Happened: Sendable {
    /// Whether something was typed.
    package var hasKeys = false
    /// Whether the terminal has another size, or somebody else has drawn on it.
    package var needsFrame = false
    /// Whether the terminal is gone.
    package var isGone = false

    /// Whether anything happened before the end of the limit.
    package var isAnything: Bool { hasKeys || needsFrame || isGone }
  }

  private let descriptor: Int32
  private let signals: TerminalSignals
  private let colors: Bool
  private let isASCII: Bool
  private var decoder = KeyDecoder()
  /// When what was read last is all there is, if it is unfinished.
  private var settles: MonotonicDeadline?
  /// What was read: wiped after each read, because it may be a part of a secret.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
  private var shown: Frame?
  /// Written before the next frame: modes, and text for the clipboard.
  private var before: [UInt8] = []

  /// Takes the controlling terminal.
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
    // Whoever had the terminal meanwhile may have changed its modes.
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
        // It is gone, as the next wait finds out.
        return
      } else if errno != EINTR {
        throw .unreadable(source: "the terminal", errno: errno)
      }
    }
  }

  private static let mouseOn = "\u{1B}[?1000;1006h"
  private static let mouseOff = "\u{1B}[?1000;1006l"

  /// Whether presses and the wheel of the mouse are keys; from the next frame on.
  package mutating func readMouse(_ isOn: Bool) {
    guard isOn != decoder.readsMouse else { return }
    decoder.readsMouse = isOn
    before += Array((isOn ? Self.mouseOn : Self.mouseOff).utf8)
  }

  /// Puts text into the clipboard with the next frame, where the terminal does that (OSC 52).
  package mutating func copy(_ text: String) {
    before += Array("\u{1B}]52;c;\(Base64.text(text.utf8))\u{7}".utf8)
  }

  /// Has the next frame drawn whole, because what the terminal shows is not certain.
  package mutating func forget() {
    shown = nil
  }

  /// Waits for a key, another size, another descriptor if one is given, or the end of the limit.
  ///
  /// Without a limit it waits without end. Whoever gave the other descriptor reads it.
  ///
  /// - Parameters:
  ///   - other: The other descriptor.
  ///   - limit: How long to wait.
  ///   - type: Gets each key; this keeps none, because they may be a secret.
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
