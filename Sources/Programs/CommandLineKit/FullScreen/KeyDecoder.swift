/// Decodes the bytes of a terminal into keys, byte by byte: escape sequences (ECMA-48, xterm,
/// kitty), UTF-8, bracketed paste.
///
/// It discards other sequences as a whole, even if they span several reads: mouse reports in every
/// encoding, answers of the terminal, keys with Alt. A lone Escape looks like the start of a
/// sequence: wait for ``patience``, and if no byte follows, call ``flush(_:)``.
///
/// No time is right for that wait: a slow line may deliver the rest of an arrow key after it.
/// So the rest of an arrow key still becomes that key after its start became an Escape. That Escape
/// cannot be taken back, so one Escape alone must not lose anything.
struct KeyDecoder {
  /// The maximum number of bytes of pasted text.
  static let pasteLimit = 65_536
  /// The maximum number of parameters of a sequence; no key has more.
  private static let parameterLimit = 32
  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  /// What the pending bytes are, with the last one.
  private enum Decoding {
    case unfinished
    /// Complete: a key, or nothing that means one.
    case complete(Key?)
    /// Invalid; these bytes are the start of something else.
    case restart([UInt8])
  }

  /// Whether mouse reports in SGR format are keys.
  var readsMouse = false
  /// The bytes of an unfinished character or sequence; of a string of the terminal only its start.
  private var pending: [UInt8] = []
  /// Whether a pause made the last byte the Escape key, so that the rest of a sequence may follow.
  private var isAfterEscape = false
  /// Whether the pending bytes may be such a rest; their Escape was a key already.
  private var isRest = false
  /// The text of an unfinished paste.
  private var pasted: WipedBytes?
  private var isPasteTooLong = false
  private var isAfterReturn = false

  /// Whether a lone Escape is pending; some terminals send it twice with Alt.
  private var isEscape: Bool { pending.allSatisfy { $0 == Self.escape } }

  /// The time to wait for more bytes before ``flush(_:)``; nil for no limit.
  var patience: Duration? {
    if pasted == nil, pending.first == Self.escape, isEscape { return .milliseconds(100) }
    // A line that pauses for a second has lost the rest. A user who pressed a key with Alt can
    // press it again.
    return pasted != nil || pending.first == Self.escape || isAfterEscape ? .seconds(1) : nil
  }

  /// Ends the input so far, because nothing follows: a lone Escape is a key, an unfinished sequence
  /// is discarded, and so is a paste without its end.
  mutating func flush(_ type: (Key) -> Void) {
    guard patience != nil else { return }
    defer { (pending, pasted, isRest) = ([], nil, false) }
    isAfterEscape = pasted == nil && !pending.isEmpty && isEscape
    if pasted != nil {
      type(.unusablePaste)
    } else if isAfterEscape {
      type(.escape)
    } else if isRest, pending.count == 2 {
      // It was a character that the user typed after Escape.
      type(.character(Unicode.Scalar(pending[1])))
    }
  }

  /// Decodes a byte, and passes on the keys that it completes.
  mutating func decode(_ byte: UInt8, _ type: (Key) -> Void) {
    if let pasted { return paste(byte, into: pasted, type) }
    if isAfterEscape, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
      (pending, isRest) = ([Self.escape], true)
    }
    isAfterEscape = false
    pending.append(byte)
    let escapes = pending.prefix { $0 == Self.escape }.count
    if escapes > 2 {
      pending.removeLast()
      return type(.escape)
    }
    let rest = pending.dropFirst(escapes)
    switch escapes == 0 ? Self.character(rest) : sequence(rest, byte) {
    case .unfinished: break
    case .complete(let key):
      // Only a sequence with parameters is one for sure.
      let typed = isRest && key == nil && pending.count == 3 ? Array(pending[1...]) : []
      pending.removeAll(keepingCapacity: true)
      isRest = false
      for byte in typed { decode(byte, type) }
      if let key, escapes < 2 { type(key) }
    case .restart(let bytes):
      if isRest, pending.count == 3 { type(.character(Unicode.Scalar(pending[1]))) }
      (pending, isRest) = ([], false)
      for byte in bytes { decode(byte, type) }
    }
  }

  private static func character(_ bytes: ArraySlice<UInt8>) -> Decoding {
    guard let first = bytes.first, let last = bytes.last else { return .unfinished }
    if bytes.count > 1, last & 0xC0 != 0x80 { return .restart([last]) }
    switch first {
    case 0x0D, 0x0A: return .complete(.enter)
    case 0x09: return .complete(.tab)
    case 0x08, 0x7F: return .complete(.backspace)
    case 0x01...0x1A: return .complete(.control(Unicode.Scalar(first + 0x60)))
    case 0xC2...0xF4 where bytes.count < (first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4): return .unfinished
    case _: break
    }
    let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first
    // Control characters, with those of Latin-1, are no text.
    return .complete(scalar.flatMap { ($0.value < 0x20 || 0x7F..<0xA0 ~= $0.value) ? nil : .character($0) })
  }

  /// Decodes the bytes after Escape.
  private mutating func sequence(_ bytes: ArraySlice<UInt8>, _ byte: UInt8) -> Decoding {
    switch bytes.first.map(Unicode.Scalar.init) {
    case nil: return .unfinished
    case "[": return control(bytes.dropFirst(), byte)
    // SS3, the start of some keys.
    case "O":
      if bytes.count == 1 { return .unfinished }
      guard (0x20..<0x7F).contains(byte) else { return .restart([byte]) }
      return .complete((isRest ? nil : Self.keypad(byte)) ?? Self.lettered[Unicode.Scalar(byte)])
    // A string of the terminal (OSC, DCS, APC, PM, SOS).
    case "]", "P", "_", "^", "X":
      if bytes.count > 2 { return byte == UInt8(ascii: "\\") ? .complete(nil) : .restart([Self.escape, byte]) }
      // BEL ends a string in xterm; CAN and SUB end every sequence.
      if bytes.count > 1, [0x07, 0x18, 0x1A].contains(byte) { return .complete(nil) }
      if bytes.count > 1, byte != Self.escape { pending.removeLast() }
      return .unfinished
    // A key with Alt is another key.
    case _:
      if case .complete = Self.character(bytes) { return .complete(nil) }
      return Self.character(bytes)
    }
  }

  /// Decodes the bytes of a control sequence (CSI).
  private mutating func control(_ bytes: ArraySlice<UInt8>, _ byte: UInt8) -> Decoding {
    // A function key of the Linux console.
    if bytes.first == UInt8(ascii: "["), bytes.count > 1 { return .complete(byte == UInt8(ascii: "A") ? .help : nil) }
    // An old mouse report.
    if bytes.first == UInt8(ascii: "M") { return bytes.count < 4 ? .unfinished : .complete(nil) }
    switch byte {
    case _ where bytes.isEmpty || bytes.count == 1 && byte == UInt8(ascii: "["): return .unfinished
    case 0x20...0x3F:
      if bytes.count > Self.parameterLimit { pending.removeLast() }
      return .unfinished
    case 0x40...0x7E: return .complete(finish(bytes.dropLast(), byte))
    case _: return .restart([byte])
    }
  }

  private mutating func finish(_ parameters: ArraySlice<UInt8>, _ final: UInt8) -> Key? {
    if readsMouse, parameters.first == UInt8(ascii: "<") { return Self.mouse(parameters.dropFirst(), final) }
    // A sequence with `<`, `=`, `>` or `?` is an answer or a mouse report; a key has only numbers.
    guard parameters.count < Self.parameterLimit, parameters.allSatisfy({ $0 < 0x3C && $0 >= 0x30 }) else { return nil }
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Self.numbers)
    let modifiers = numbers.count > 1 ? KeyModifiers(numbers[1]) : KeyModifiers([])
    // Shift and Control do not change a key without text here. With Alt and the others, it is
    // another key.
    if modifiers.isRelease || modifiers.hasOthers { return nil }
    switch Unicode.Scalar(final) {
    case "u": return ReportedKey(numbers, modifiers).key
    case "Z": return .backTab
    case "~" where numbers[0].first == 27 && numbers.count > 2:
      return ReportedKey(code: numbers[2].first ?? 0, isShifted: true, modifiers: modifiers).key
    case "~":
      if numbers[0].first == 200 {
        (pasted, isPasteTooLong, isAfterReturn) = (WipedBytes(capacity: Self.pasteLimit), false, false)
      }
      return numbers[0].first.flatMap { Self.numbered[$0] }
    case let letter: return Self.lettered[letter]
    }
  }

  /// The keys of the keypad in application mode, after SS3.
  private static func keypad(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "M"): .enter
    case UInt8(ascii: "X"): .character("=")
    case UInt8(ascii: "j")...UInt8(ascii: "y"): .character(Unicode.Scalar(byte - 0x40))
    case _: nil
    }
  }

  /// The keys whose sequence ends in a letter, after CSI and after SS3.
  private static let lettered: [Unicode.Scalar: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "F": .end, "H": .home, "P": .help,
  ]

  /// The keys whose sequence ends in `~`, by its number.
  private static let numbered: [Int: Key] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end, 11: .help,
  ]

  /// Decodes a mouse report; ignores the release of a button.
  private static func mouse(_ parameters: ArraySlice<UInt8>, _ final: UInt8) -> Key? {
    let numbers = parameters.split(separator: UInt8(ascii: ";")).compactMap { Self.numbers($0).first }
    guard numbers.count == 3, final == UInt8(ascii: "M") else { return nil }
    // 4, 8 and 16 are Shift, Alt and Control.
    switch numbers[0] & ~28 {
    case 0: return numbers[1] > 0 && numbers[2] > 0 ? .click(row: numbers[2] - 1, column: numbers[1] - 1) : nil
    case 64: return .scrollUp
    case 65: return .scrollDown
    case _: return nil
    }
  }

  /// The numbers of a parameter, which colons separate; 0 for one that is missing.
  private static func numbers(_ parameter: ArraySlice<UInt8>) -> [Int] {
    parameter.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
  }

  // MARK: Paste

  private mutating func paste(_ byte: UInt8, into pasted: WipedBytes, _ type: (Key) -> Void) {
    // Nothing else of a paste, which may be secret, is kept elsewhere.
    guard !pending.isEmpty || byte == Self.escape else { return keep(byte, in: pasted) }
    pending.append(byte)
    while !Self.pasteEnd.starts(with: pending) { keep(pending.removeFirst(), in: pasted) }
    guard pending.count == Self.pasteEnd.count else { return }
    (self.pasted, pending) = (nil, [])
    // Checked in place, without a copy.
    let bytes = pasted.bytes.makeIterator()
    let isInvalid = transcode(bytes, from: UTF8.self, to: UTF32.self, stoppingOnError: true) { _ in }
    type(isPasteTooLong || isInvalid ? .unusablePaste : .paste(PastedText(pasted)))
  }

  /// Stores a byte of pasted text; terminals send the line endings of a paste as carriage returns.
  private mutating func keep(_ byte: UInt8, in pasted: WipedBytes) {
    defer { isAfterReturn = byte == 0x0D }
    if byte == 0x0A, isAfterReturn { return }
    if !pasted.append(byte == 0x0D ? 0x0A : byte) { isPasteTooLong = true }
  }
}
