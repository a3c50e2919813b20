import Glibc
import TextFormat

/// Uses the controlling terminal as a full screen during the lifetime of the value.
///
/// At the end of its lifetime, and before a signal kills or stops the process, the terminal is
/// restored; see ``TerminalSignals``. It shows frames and reports events; it makes no decisions.
package struct ScreenTerminal: ~Copyable {
  private let signals: TerminalSignals
  private let colors: Bool
  private let isASCII: Bool
  private var decoder = KeyDecoder()
  /// The time when an unfinished key counts as complete.
  private var flushDeadline: SuspendingClock.Instant?
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
  /// - Throws: ``CommandError`` when there is none, or it is in use.
  package init(colors: Bool, isASCII: Bool = false) throws(CommandError) {
    // Without blocking, so that a signal acts immediately if the terminal accepts no output. The
    // flag applies only to this descriptor.
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable("the terminal") }
    let signals = try TerminalSignals(TerminalDescriptor(number: descriptor, isOwned: true), for: .fullScreen)
    try signals.silence()
    self.signals = signals
    (self.colors, self.isASCII) = (colors, isASCII)
  }

  deinit { buffer.deallocate() }

  private var descriptor: Int32 { signals.terminal.number }

  /// The size of the terminal.
  package var size: (columns: Int, rows: Int) { TerminalWidth.size(of: descriptor) }

  /// Shows a frame: writes the differences from the previous frame in one write, if there are any.
  package mutating func show(_ frame: Frame) throws(CommandError) {
    // Another program may have changed the modes meanwhile.
    if shown == nil { setMouse() }
    let bytes = before + FrameDiff.bytes(from: shown, to: frame, colors: colors, isASCII: isASCII)
    (shown, before) = (frame, [])
    let error = writeAll(bytes[...], to: descriptor)
    guard error == 0 else { throw .unreadable("the terminal", ErrorNumber(error)) }
  }

  private mutating func setMouse() {
    before += Array("\u{1B}[?1000;1006\(decoder.readsMouse ? "h" : "l")".utf8)
  }

  /// Sets whether mouse clicks and the wheel are keys, starting with the next frame.
  package mutating func readMouse(_ isOn: Bool) {
    guard isOn != decoder.readsMouse else { return }
    decoder.readsMouse = isOn
    setMouse()
  }

  /// Asks the terminal to copy text to the clipboard (OSC 52), with the next frame.
  package mutating func copy(_ text: String) {
    before += Array("\u{1B}]52;c;\(Self.base64(text))\u{7}".utf8)
  }

  /// The text in Base64 with its own digits and padding (RFC 4648, section 4).
  static func base64(_ text: String) -> String {
    let digits = String(Base64URL.text(Array(text.utf8)).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
  }

  /// Redraws the next frame as a whole, because the content of the terminal is uncertain.
  package mutating func forget() { shown = nil }

  /// Waits for a key, a new size, another descriptor if one is given, or the end of the limit.
  ///
  /// Without a limit it waits forever. The caller reads the other descriptor.
  ///
  /// - Parameters:
  ///   - other: The other descriptor.
  ///   - limit: The longest wait.
  ///   - type: Receives each key; this type stores none, because they may be secret.
  /// - Returns: Whether the size of the terminal changed, or another program may have drawn on it.
  /// - Throws: ``CommandError`` when the terminal cannot be read, for example when it was closed.
  package mutating func wait(
    for other: Int32 = -1, atMost limit: Duration?, type: (Key) -> Void
  ) throws(CommandError) -> Bool {
    let deadline = limit.map { SuspendingClock.now + $0 }
    var events = [descriptor, signals.wakening, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let waits = [deadline, flushDeadline].compactMap { $0?.remainingMilliseconds }
      let count = poll(&events, nfds_t(events.count), waits.min() ?? -1)
      if count < 0 {
        guard errno == EINTR else { throw .unreadable("the terminal") }
      } else if count == 0 {
        if flushDeadline?.remainingMilliseconds == 0 {
          var isTyped = false
          decoder.flush { key in
            isTyped = true
            type(key)
          }
          flushDeadline = decoder.patience.map { SuspendingClock.now + $0 }
          if isTyped { return false }
        }
        if deadline?.remainingMilliseconds == 0 { return false }
      } else {
        let needsFrame = events[1].revents != 0
        if needsFrame {
          // A terminal that hangs up also continues its processes; it can no longer be taken.
          if signals.acknowledgeWakening() { try signals.silence() }
          shown = nil
        }
        let isTyped = events[0].revents == 0 ? false : try read(type)
        if needsFrame || isTyped || events[2].revents != 0 { return needsFrame }
      }
    }
  }

  /// - Returns: Whether something was typed.
  private mutating func read(_ type: (Key) -> Void) throws(CommandError) -> Bool {
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    guard count > 0 else { throw .unreadable("the terminal", ErrorNumber(count == 0 ? EIO : errno)) }
    let signalKeys = signals.keys
    for byte in buffer[..<count] {
      decoder.decode(byte) { key in
        // Where the terminal reports such a key by a number, the system sends no signal.
        if let signal = signalKeys.first(where: { key == .control($0.key) })?.signal {
          kill(0, signal)
        } else {
          type(key)
        }
      }
    }
    if let start = buffer.baseAddress { explicit_bzero(start, count) }
    flushDeadline = decoder.patience.map { SuspendingClock.now + $0 }
    return true
  }
}
