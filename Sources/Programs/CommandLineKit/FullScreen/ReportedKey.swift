/// The modifiers of a key in an escape sequence (xterm, kitty).
struct KeyModifiers {
  private let bits: Int
  /// Whether the key was released.
  let isRelease: Bool

  /// Reads the parameter: one more than the sum of the modifiers, then the type of event.
  init(_ numbers: [Int]) {
    bits = max(0, (numbers.first ?? 1) - 1)
    isRelease = numbers.count > 1 && numbers[1] == 3
  }

  var hasShift: Bool { bits & 1 != 0 }
  var hasControl: Bool { bits & 4 != 0 }
  var hasCapsLock: Bool { bits & 64 != 0 }
  /// Whether Alt, Super, Hyper or Meta is pressed.
  var hasOthers: Bool { bits & 0b111010 != 0 }
}

/// A key that the terminal reports by a number, because a program told it to and did not end that:
/// xterm's modifyOtherKeys, kitty's keyboard protocol.
///
/// Sources: xterm, "Special Keyboard Keys"; kitty, "Comprehensive keyboard handling in terminals".
struct ReportedKey {
  /// The Unicode code of the key, or kitty's number of one that has none.
  let code: Int
  /// Whether ``code`` is already the character with Shift.
  var isShifted = false
  /// The character with Shift, if it is known.
  var shifted: Int?
  /// The text of the key, if it is known.
  var text: Int?
  let modifiers: KeyModifiers

  /// The key that it means here; nil for none, or if its character is not certain.
  var key: Key? {
    switch code {
    case 8, 127: return .backspace
    case 9: return modifiers.hasShift ? .backTab : .tab
    case 13: return .enter
    case 27: return .escape
    // Kitty's numbers of the keypad, with and without Num Lock.
    case 57399...57416:
      let sign = Array("0123456789./*-+\r=,".utf8)[code - 57399]
      return ReportedKey(code: Int(sign), isShifted: true, modifiers: KeyModifiers([])).key
    case 57417...57424: return [.left, .right, .up, .down, .pageUp, .pageDown, .home, .end][code - 57417]
    case 57426: return .delete
    case _: return modifiers.hasControl ? control : character.flatMap(Self.visible)
    }
  }

  /// The key with Control, which is a control character where the terminal reports none.
  private var control: Key? {
    guard (0x40..<0x7F).contains(code), let letter = Unicode.Scalar(code | 0x20) else { return nil }
    switch letter {
    case "h": return .backspace
    case "i": return .tab
    case "j", "m": return .enter
    case "{": return .escape
    case "a"..."z": return .control(letter)
    // The key that quits a program.
    case "|": return .control("\\")
    case _: return nil
    }
  }

  private var character: Int? {
    if let text { return text }
    let isLetter = (0x41...0x5A).contains(code & ~0x20)
    if isLetter, !isShifted { return modifiers.hasShift != modifiers.hasCapsLock ? code & ~0x20 : code | 0x20 }
    // Which character has Shift on other keys depends on the keyboard. A wrong one would not be
    // seen where the input is hidden.
    return !modifiers.hasShift || isShifted ? code : shifted
  }

  private static func visible(_ code: Int) -> Key? {
    // Kitty numbers keys without a character in the private use area.
    guard code >= 0x20, !(0x7F..<0xA0 ~= code), !(0xE000...0xF8FF ~= code) else { return nil }
    return UInt32(exactly: code).flatMap { Unicode.Scalar($0) }.map { .character($0) }
  }
}

extension ReportedKey {
  /// Reads the parameters of a sequence that ends in `u`.
  init(_ numbers: [[Int]], _ modifiers: KeyModifiers) {
    func number(_ list: Int, _ index: Int) -> Int? {
      numbers.count > list && numbers[list].count > index && numbers[list][index] > 0 ? numbers[list][index] : nil
    }
    let hasOneText = numbers.count > 2 && numbers[2].count == 1
    self.init(
      code: number(0, 0) ?? 0, shifted: number(0, 1), text: hasOneText ? number(2, 0) : nil, modifiers: modifiers)
  }
}
