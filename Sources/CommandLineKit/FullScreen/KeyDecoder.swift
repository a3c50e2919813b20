/// Decodes the bytes of a terminal into keys, byte by byte: escape sequences (ECMA-48, xterm),
/// UTF-8, bracketed paste.
///
/// It discards other sequences as a whole, even if they span several reads: mouse reports in every
/// encoding, answers of the terminal, keys with Alt. A lone Escape looks like the start of a
/// sequence: wait for ``patience``, and if no byte follows, call ``settle()``.
struct KeyDecoder {
  /// The maximum number of bytes of pasted text.
  static let pasteLimit = 65_536
  /// The maximum number of parameters of a sequence; no key has more.
  private static let parameterLimit = 32
  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private enum State {
    case ground
    /// In a UTF-8 character: its value so far, its minimum value, and the number of bytes that
    /// follow.
    case character(UInt32, least: UInt32, rest: Int, isAlt: Bool)
    /// After Escape, which some terminals send twice with Alt.
    case escape(isAlt: Bool)
    /// After `SS3`, the start of some keys.
    case single(isAlt: Bool)
    /// In a control sequence (CSI), whose parameters are collected.
    case control(isAlt: Bool)
    /// Before the last byte of a function key of the Linux console.
    case consoleKey(isAlt: Bool)
    /// In the bytes after `CSI M`, the start of old mouse reports.
    case mouse(rest: Int)
    /// In a string of the terminal (OSC, DCS, APC, PM, SOS).
    case string
    /// After an Escape in such a string.
    case stringEscape
    /// In pasted text; this number of bytes matches the start of the end marker.
    case paste(matched: Int)
  }

  /// Whether mouse reports in SGR format are keys.
  var readsMouse = false
  private var state = State.ground
  private var parameters: [UInt8] = []
  private var pasted = WipedBytes(capacity: 0)
  private var isPasteTooLong = false
  private var isAfterReturn = false

  /// The time to wait for more bytes before ``settle()``; nil for no limit.
  var patience: Duration? {
    switch state {
    // Longer than the pauses of a slow line, shorter than a person notices.
    case .escape: .milliseconds(50)
    // No line pauses for that long. A user who pressed a key with Alt can press it again.
    case .single, .control, .consoleKey, .mouse, .string, .stringEscape: .seconds(1)
    case .ground, .character, .paste: nil
    }
  }

  /// Ends the input so far, because nothing follows: a lone Escape is a key, an unfinished sequence
  /// is discarded.
  mutating func settle() -> Key? {
    guard patience != nil else { return nil }
    defer { state = .ground }
    if case .escape = state { return .escape }
    return nil
  }

  /// Decodes a byte, and returns the key that it completes, if any.
  mutating func decode(_ byte: UInt8) -> Key? {
    switch state {
    case .ground: return begin(byte)
    case .character(let value, let least, let rest, let isAlt):
      guard byte & 0xC0 == 0x80 else { return begin(byte) }
      return take(value << 6 | UInt32(byte & 0x3F), least, rest - 1, isAlt)
    case .escape(let isAlt): return follow(byte, isAlt)
    case .single(let isAlt):
      guard byte >= 0x20, byte < 0x7F else { return begin(byte) }
      state = .ground
      return isAlt ? nil : Self.key(final: byte, isSingle: true)
    case .control(let isAlt): return control(byte, isAlt)
    case .consoleKey(let isAlt):
      state = .ground
      return byte == UInt8(ascii: "A") && !isAlt ? .help : nil
    case .mouse(let rest):
      state = rest > 1 ? .mouse(rest: rest - 1) : .ground
      return nil
    case .string:
      switch byte {
      case Self.escape: state = .stringEscape
      // BEL ends a string in xterm; CAN and SUB end every sequence.
      case 0x07, 0x18, 0x1A: state = .ground
      case _: break
      }
      return nil
    case .stringEscape:
      if byte == UInt8(ascii: "\\") {
        state = .ground
        return nil
      }
      state = .escape(isAlt: false)
      return decode(byte)
    case .paste(let matched): return paste(byte, matched)
    }
  }

  /// Decodes the first byte of a key.
  private mutating func begin(_ byte: UInt8) -> Key? {
    state = .ground
    switch byte {
    case Self.escape:
      state = .escape(isAlt: false)
      return nil
    case 0x0D, 0x0A: return .enter
    case 0x09: return .tab
    case 0x08, 0x7F: return .backspace
    case 0x01...0x1A: return .control(Unicode.Scalar(byte + 0x60))
    case 0x20...0x7E: return .character(Unicode.Scalar(byte))
    case _: return beginCharacter(byte, isAlt: false)
    }
  }

  private mutating func beginCharacter(_ byte: UInt8, isAlt: Bool) -> Key? {
    switch byte {
    case 0xC2...0xDF: state = .character(UInt32(byte & 0x1F), least: 0xA0, rest: 1, isAlt: isAlt)
    case 0xE0...0xEF: state = .character(UInt32(byte & 0x0F), least: 0x800, rest: 2, isAlt: isAlt)
    case 0xF0...0xF4: state = .character(UInt32(byte & 0x07), least: 0x10000, rest: 3, isAlt: isAlt)
    // No UTF-8 character starts with this byte.
    case _: state = .ground
    }
    return nil
  }

  private mutating func take(_ value: UInt32, _ least: UInt32, _ rest: Int, _ isAlt: Bool) -> Key? {
    guard rest == 0 else {
      state = .character(value, least: least, rest: rest, isAlt: isAlt)
      return nil
    }
    state = .ground
    guard value >= least, !isAlt else { return nil }
    return Unicode.Scalar(value).map { .character($0) }
  }

  /// Decodes the byte after Escape.
  private mutating func follow(_ byte: UInt8, _ isAlt: Bool) -> Key? {
    switch Unicode.Scalar(byte) {
    case "\u{1B}":
      state = .escape(isAlt: true)
      return isAlt ? .escape : nil
    case "[":
      parameters = []
      state = .control(isAlt: isAlt)
    case "O": state = .single(isAlt: isAlt)
    case "]", "P", "_", "^", "X": state = .string
    // A complete key with Alt.
    case _:
      return beginCharacter(byte, isAlt: true)
    }
    return nil
  }

  private mutating func control(_ byte: UInt8, _ isAlt: Bool) -> Key? {
    switch byte {
    case 0x20...0x3F:
      if parameters.count < Self.parameterLimit { parameters.append(byte) }
      return nil
    case 0x40...0x7E:
      state = .ground
      let key = finishControl(byte, isAlt)
      return isAlt ? nil : key
    // Not a valid sequence; decode the unexpected byte as the start of a key.
    case _: return begin(byte)
    }
  }

  private mutating func finishControl(_ final: UInt8, _ isAlt: Bool) -> Key? {
    if parameters.isEmpty {
      if final == UInt8(ascii: "M") { state = .mouse(rest: 3) }
      if final == UInt8(ascii: "[") { state = .consoleKey(isAlt: isAlt) }
    }
    if readsMouse, parameters.first == UInt8(ascii: "<") { return mouse(final) }
    // A sequence with `<`, `=`, `>` or `?` is an answer or a mouse report; a key has only numbers.
    guard parameters.count < Self.parameterLimit, parameters.allSatisfy({ $0 < 0x3C && $0 >= 0x30 }) else { return nil }
    let numbers = Self.numbers(parameters[...])
    // Shift and Control do not change a key here. With Alt and the others, it is another key.
    if numbers.count > 1, numbers[1] > 1, (numbers[1] - 1) & ~5 != 0 { return nil }
    guard final == UInt8(ascii: "~") else { return Self.key(final: final, isSingle: false) }
    switch numbers[0] {
    case 1, 7: return .home
    case 4, 8: return .end
    case 3: return .delete
    case 5: return .pageUp
    case 6: return .pageDown
    case 11: return .help
    case 200: beginPaste()
    case _: break
    }
    return nil
  }

  /// The key with this final byte; the keypad's Enter exists only as a single (SS3) sequence.
  private static func key(final: UInt8, isSingle: Bool) -> Key? {
    switch Unicode.Scalar(final) {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H": .home
    case "F": .end
    case "P": .help
    case "Z" where !isSingle: .backTab
    case "M" where isSingle: .enter
    case _: nil
    }
  }

  /// Decodes a mouse report; ignores the release of a button.
  private func mouse(_ final: UInt8) -> Key? {
    let numbers = Self.numbers(parameters.dropFirst())
    guard numbers.count == 3, final == UInt8(ascii: "M") else { return nil }
    // 4, 8 and 16 are Shift, Alt and Control.
    switch numbers[0] & ~28 {
    case 0: return numbers[1] > 0 && numbers[2] > 0 ? .click(row: numbers[2] - 1, column: numbers[1] - 1) : nil
    case 64: return .scrollUp
    case 65: return .scrollDown
    case _: return nil
    }
  }

  private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int] {
    parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
  }

  // MARK: Paste

  private mutating func beginPaste() {
    state = .paste(matched: 0)
    pasted = WipedBytes(capacity: Self.pasteLimit)
    (isPasteTooLong, isAfterReturn) = (false, false)
  }

  private mutating func paste(_ byte: UInt8, _ matched: Int) -> Key? {
    if byte == Self.pasteEnd[matched] {
      guard matched + 1 == Self.pasteEnd.count else {
        state = .paste(matched: matched + 1)
        return nil
      }
      state = .ground
      defer { pasted = WipedBytes(capacity: 0) }
      return isPasteTooLong || !pasted.isText ? .unusablePaste : .paste(PastedText(pasted))
    }
    for byte in Self.pasteEnd[..<matched] { keep(byte) }
    if byte == Self.escape {
      state = .paste(matched: 1)
    } else {
      state = .paste(matched: 0)
      keep(byte)
    }
    return nil
  }

  /// Stores a byte of pasted text; terminals send the line endings of a paste as carriage returns.
  private mutating func keep(_ byte: UInt8) {
    defer { isAfterReturn = byte == 0x0D }
    if byte == 0x0A, isAfterReturn { return }
    if !pasted.append(byte == 0x0D ? 0x0A : byte) { isPasteTooLong = true }
  }
}
