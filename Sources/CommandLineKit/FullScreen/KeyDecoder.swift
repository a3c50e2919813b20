/// Turns the bytes of a terminal into keys: escape sequences (ECMA-48, xterm), UTF-8, bracketed
/// paste.
///
/// Reads may end anywhere: what is unfinished is kept for the next. A lone Escape is only told from
/// the beginning of a sequence by what does not follow: while ``isUndecided`` wait a moment, then
/// call ``settle()``.
struct KeyDecoder: Sendable {
  /// How much pasted text is kept, in bytes.
  static let pasteLimit = 65_536
  /// A sequence that is longer is none.
  private static let sequenceLimit = 64
  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private var pending: [UInt8] = []
  private var paste: [UInt8]?
  private var isPasteTooLong = false

  /// Whether what was read last may be a key of its own or the beginning of a longer one.
  var isUndecided: Bool { paste == nil && pending.first == Self.escape }

  /// Takes what was read, and returns the keys that are certain.
  mutating func decode(_ bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    pending += bytes
    var rest = pending[...]
    while !rest.isEmpty {
      guard let (found, length) = paste == nil ? Self.first(in: rest) : takePaste(rest) else { break }
      rest = rest.dropFirst(length)
      switch found {
      case .key(let key): keys.append(key)
      case .pasteBegins: paste = []
      case .nothing: break
      }
    }
    pending = Array(rest)
    return keys
  }

  /// Nothing follows: what is pending is as much as there is of it.
  mutating func settle() -> [Key] {
    guard isUndecided else { return [] }
    let isAlone = pending.count == 1
    pending = []
    return [isAlone ? .escape : .unknown]
  }

  private enum Found {
    case key(Key)
    case pasteBegins
    /// Swallowed.
    case nothing
  }

  /// - Returns: The first key and how many bytes it is, or nil when it is unfinished.
  private static func first(in bytes: ArraySlice<UInt8>) -> (Found, Int)? {
    guard let byte = bytes.first else { return nil }
    switch byte {
    case escape: return sequence(bytes)
    case 0x0D, 0x0A: return (.key(.enter), 1)
    case 0x09: return (.key(.tab), 1)
    case 0x08, 0x7F: return (.key(.backspace), 1)
    case 0x01...0x1A: return (.key(.control(Unicode.Scalar(byte + 0x60))), 1)
    case 0x00, 0x1C...0x1F: return (.key(.unknown), 1)
    case 0x20...0x7E: return (.key(.character(Unicode.Scalar(byte))), 1)
    case _: return character(bytes)
    }
  }

  private static func character(_ bytes: ArraySlice<UInt8>) -> (Found, Int)? {
    let length =
      switch bytes[bytes.startIndex] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      case _: 1
      }
    let given = bytes.prefix(length)
    if length > 1, given.count < length, given.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) { return nil }
    // The first byte says how many make one, so no more than one can be valid.
    guard let text = String(validating: given, as: UTF8.self), let scalar = text.unicodeScalars.first
    else { return (.key(.unknown), 1) }
    return (.key(scalar.value < 0xA0 ? .unknown : .character(scalar)), length)
  }

  private static func sequence(_ bytes: ArraySlice<UInt8>) -> (Found, Int)? {
    let body = bytes.dropFirst()
    guard let second = body.first else { return nil }
    switch second {
    case UInt8(ascii: "O"):
      guard let final = body.dropFirst().first else { return nil }
      guard (0x40...0x7E).contains(final) else { return (.key(.unknown), 2) }
      return (.key(cursorKey(final) ?? .unknown), 3)
    case UInt8(ascii: "["):
      for (index, byte) in body.dropFirst().enumerated() {
        switch byte {
        case 0x20...0x3F where index < sequenceLimit: continue
        case 0x40...0x7E: return (meaning(of: body.dropFirst().prefix(index), final: byte), index + 3)
        // Not a sequence; what broke it is read again.
        case _: return (.key(.unknown), index + 2)
        }
      }
      return nil
    // The other key came so soon after, or with Alt: both count.
    case _: return (.key(.escape), 1)
    }
  }

  private static func meaning(of parameters: ArraySlice<UInt8>, final: UInt8) -> Found {
    if let key = cursorKey(final) { return .key(key) }
    guard final == UInt8(ascii: "~") else { return .key(.unknown) }
    let number = String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
    switch number {
    case "1", "7": return .key(.home)
    case "4", "8": return .key(.end)
    case "3": return .key(.delete)
    case "5": return .key(.pageUp)
    case "6": return .key(.pageDown)
    case "200": return .pasteBegins
    // The end of a paste without its beginning.
    case "201": return .nothing
    case _: return .key(.unknown)
    }
  }

  private static func cursorKey(_ final: UInt8) -> Key? {
    switch Unicode.Scalar(final) {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H": .home
    case "F": .end
    case "Z": .backTab
    case "M": .enter
    case _: nil
    }
  }

  /// Takes pasted bytes up to the end of the paste, or as many as cannot be part of it.
  private mutating func takePaste(_ bytes: ArraySlice<UInt8>) -> (Found, Int)? {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] == Self.escape {
        let rest = bytes[index...]
        if rest.starts(with: Self.pasteEnd) {
          keep(bytes[..<index])
          return (.key(finishPaste()), index - bytes.startIndex + Self.pasteEnd.count)
        }
        if Self.pasteEnd.starts(with: rest) { break }
      }
      index += 1
    }
    keep(bytes[..<index])
    let taken = index - bytes.startIndex
    return taken == 0 ? nil : (.nothing, taken)
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    guard let kept = paste?.count, !isPasteTooLong else { return }
    isPasteTooLong = kept + bytes.count > Self.pasteLimit
    if isPasteTooLong { paste = [] } else { paste? += bytes }
  }

  private mutating func finishPaste() -> Key {
    defer { (paste, isPasteTooLong) = (nil, false) }
    guard !isPasteTooLong, let paste, let text = String(validating: paste, as: UTF8.self) else { return .unusablePaste }
    var lines = ""
    // A terminal sends line endings of a paste as carriage returns.
    for character in text { lines.append(character == "\r" || character == "\r\n" ? "\n" : character) }
    return .paste(lines)
  }
}
