/// Turns the bytes of a terminal into keys, byte by byte: escape sequences (ECMA-48, xterm), UTF-8,
/// bracketed paste.
///
/// Sequences that are no key of this program are swallowed whole, wherever reads end: mouse reports
/// in every encoding, answers of the terminal, keys with Alt. A lone Escape differs from the start
/// of a sequence only by what does not follow: wait for as long as ``patience`` says, then call
/// ``settle()``.
struct KeyDecoder {
  /// How many bytes of pasted text are kept.
  static let pasteLimit = 65_536
  /// How many parameters of a sequence are read; no key has more.
  private static let parameterLimit = 32
  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private enum State {
    case ground
    /// In a character of UTF-8: what is known of it, the least it can be, and how many bytes follow.
    case character(UInt32, least: UInt32, rest: Int, isAlt: Bool)
    /// After Escape; with Alt some terminals send it twice.
    case escape(isAlt: Bool)
    /// After `SS3`, with which some keys begin.
    case single(isAlt: Bool)
    /// In a control sequence (CSI), whose parameters are kept.
    case control(isAlt: Bool)
    /// In the last byte of a function key of the Linux console.
    case consoleKey(isAlt: Bool)
    /// In the bytes after `CSI M`, with which old mouse reports begin.
    case mouse(rest: Int)
    /// In a string of the terminal (OSC, DCS, APC, PM, SOS), up to its end.
    case string
    /// After an Escape in such a string.
    case stringEscape
    /// In pasted text; so many bytes may be the start of its end.
    case paste(matched: Int)
  }

  /// Whether reports of the mouse in the form of SGR are keys.
  var readsMouse = false
  private var state = State.ground
  private var parameters: [UInt8] = []
  private var pasted = WipedBytes(capacity: 0)
  private var isPasteTooLong = false
  private var isAfterReturn = false

  /// For how long more bytes are awaited before ``settle()``; nil without a limit.
  var patience: Duration? {
    switch state {
    // Longer than a slow line pauses, shorter than a person notices.
    case .escape: .milliseconds(50)
    // No line pauses for so long; a person who pressed a key with Alt tries again.
    case .single, .control, .consoleKey, .mouse, .string, .stringEscape: .seconds(1)
    case .ground, .character, .paste: nil
    }
  }

  /// Nothing follows: a lone Escape is a key, and an unfinished sequence is none.
  mutating func settle() -> Key? {
    guard patience != nil else { return nil }
    defer { state = .ground }
    if case .escape = state { return .escape }
    return nil
  }

  /// Takes a byte, and returns the key that it completes.
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
      // BEL, which ends one in xterm; CAN and SUB, which end everything.
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

  /// Takes the first byte of something.
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
    // No character begins like this.
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

  /// Takes the byte after Escape.
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
    // A key with Alt, whole.
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
    // Not a sequence; what broke it is read again.
    case _: return begin(byte)
    }
  }

  private mutating func finishControl(_ final: UInt8, _ isAlt: Bool) -> Key? {
    if parameters.isEmpty {
      if final == UInt8(ascii: "M") { state = .mouse(rest: 3) }
      if final == UInt8(ascii: "[") { state = .consoleKey(isAlt: isAlt) }
    }
    if readsMouse, parameters.first == UInt8(ascii: "<") { return mouse(final) }
    // What begins with `<`, `=`, `>` or `?` is an answer or a mouse report; a key has numbers only.
    guard parameters.count < Self.parameterLimit, parameters.allSatisfy({ $0 < 0x3C && $0 >= 0x30 }) else { return nil }
    let numbers = Self.numbers(parameters[...])
    // Shift and Control change no key here. Alt and the others do: with them it is another key.
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

  /// The key that ends with this byte; the keypad's Enter is a single sequence only.
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

  /// A report of the mouse; where a button comes up, nothing happens.
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

  /// Keeps a byte of pasted text; a terminal sends the line endings of a paste as carriage returns.
  private mutating func keep(_ byte: UInt8) {
    defer { isAfterReturn = byte == 0x0D }
    if byte == 0x0A, isAfterReturn { return }
    if !pasted.append(byte == 0x0D ? 0x0A : byte) { isPasteTooLong = true }
  }
}
