package import CommandLineKit

/// A minimal terminal emulator for these tests: it understands the sequences of ``FrameDiff`` and
/// ``ScreenTerminal``, and records the others.
///
/// It belongs to this project, so it proves less than an independent emulator; but it is always
/// available.
package struct SmallScreen {
  package private(set) var frame: Frame
  /// Private modes that are set: 25 is the cursor, 1049 the alternate screen.
  package private(set) var modes: Set<Int> = [25, 7]
  /// Sequences that it does not understand.
  package private(set) var unknown: [String] = []
  /// The rows that the terminal keeps, because they left its screen at the top, or `2J` cleared
  /// them as in tmux.
  package private(set) var history: [String] = []
  /// The forms of keys that were asked for: xterm's modifyOtherKeys, and the stack of kitty's
  /// keyboard protocol.
  package private(set) var (otherKeys, keyboard) = (0, [0])
  private let hasAlternate: Bool
  /// The content that returns when the alternate screen ends.
  private var main: Frame?
  private var cursor = Frame.Position(row: 0, column: 0)
  private var style = CellStyle.plain
  private var decoder: [UInt8] = []

  package init(columns: Int, rows: Int, hasAlternate: Bool = true) {
    frame = Frame(columns: columns, rows: rows)
    self.hasAlternate = hasAlternate
  }

  package var text: String { frame.lines.joined(separator: "\n") }

  package mutating func resize(columns: Int, rows: Int) {
    guard columns != frame.columns || rows != frame.rows else { return }
    var resized = Frame(columns: columns, rows: rows)
    for (row, line) in frame.lines.enumerated() { resized.put(line, row: row, column: 0) }
    frame = resized
  }

  /// Processes bytes, which may end inside a sequence or a character.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    decoder += bytes
    var rest = decoder[...]
    while let first = rest.first {
      if first == 0x1B {
        guard let length = Self.sequenceLength(rest) else { break }
        act(rest.prefix(length))
        rest = rest.dropFirst(length)
      } else if first < 0x20 {
        if first == 0x0D { cursor.column = 0 }
        if first == 0x0A { lineFeed() }
        rest = rest.dropFirst()
      } else {
        let end = rest.firstIndex { $0 < 0x20 } ?? rest.endIndex
        guard end < rest.endIndex || String(validating: rest, as: UTF8.self) != nil else { break }
        for character in String(decoding: rest[..<end], as: UTF8.self) { draw(character) }
        rest = rest[end...]
      }
    }
    decoder = Array(rest)
    frame.cursor = modes.contains(25) ? cursor : nil
  }

  private static func sequenceLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 2 else { return nil }
    if bytes.dropFirst().first == UInt8(ascii: "]") {
      return bytes.firstIndex(of: 0x07).map { $0 - bytes.startIndex + 1 }
    }
    guard bytes.dropFirst().first == UInt8(ascii: "[") else { return 2 }
    return bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 - bytes.startIndex + 1 }
  }

  private mutating func draw(_ character: Character) {
    let end = frame.put(String(character), row: cursor.row, column: cursor.column, style: style)
    cursor.column = min(end, frame.columns - 1)
  }

  private mutating func act(_ sequence: ArraySlice<UInt8>) {
    guard sequence.count > 2 else { return unknown.append(String(decoding: sequence, as: UTF8.self)) }
    // Text for the clipboard is not visible.
    if sequence.last == 0x07 { return }
    let text = String(decoding: sequence.dropFirst(2).dropLast(), as: UTF8.self)
    let numbers = text.drop { $0 == "?" }.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
    let first = numbers.first ?? nil
    switch Character(Unicode.Scalar(sequence[sequence.endIndex - 1])) {
    case "h" where text.hasPrefix("?"): for number in numbers { set(number, true) }
    case "l" where text.hasPrefix("?"): for number in numbers { set(number, false) }
    case "H":
      let (row, column) = ((first ?? 1) - 1, ((numbers.count > 1 ? numbers[1] : nil) ?? 1) - 1)
      cursor = .init(row: min(row, frame.rows - 1), column: min(column, frame.columns - 1))
    case "C": cursor.column = min(cursor.column + (first ?? 1), frame.columns - 1)
    case "J" where first == 1:
      let blank = String(repeating: " ", count: frame.columns)
      for row in 0..<cursor.row { frame.put(blank, row: row, column: 0) }
      frame.put(String(blank.prefix(cursor.column + 1)), row: cursor.row, column: 0)
    case "J" where first == 3: history = []
    case "J":
      if main == nil { history += frame.lines }
      frame = Frame(columns: frame.columns, rows: frame.rows)
    case "m" where text.hasPrefix(">4"): otherKeys = numbers.count > 1 ? numbers[1] ?? 0 : 0
    case "u" where text.hasPrefix(">"): keyboard.append(Int(text.dropFirst()) ?? 0)
    case "u" where text.hasPrefix("="): keyboard[keyboard.count - 1] = Int(text.dropFirst()) ?? 0
    case "u" where text == "<" && keyboard.count > 1: keyboard.removeLast()
    case "K":
      let blank = String(repeating: " ", count: frame.columns - cursor.column)
      frame.put(blank, row: cursor.row, column: cursor.column)
    case "X": frame.put(String(repeating: " ", count: first ?? 1), row: cursor.row, column: cursor.column)
    case "m":
      let parameters = text.hasPrefix("0;") ? String(text.dropFirst(2)) : text
      guard let known = CellStyle.allCases.first(where: { $0.parameters(colors: true) == parameters }) else {
        fallthrough
      }
      style = known
    case _: unknown.append(String(decoding: sequence.dropFirst(), as: UTF8.self))
    }
  }

  private mutating func set(_ mode: Int?, _ isOn: Bool) {
    guard let mode else { return }
    if isOn { modes.insert(mode) } else { modes.remove(mode) }
    if mode == 1049, hasAlternate {
      let blank = Frame(columns: frame.columns, rows: frame.rows)
      if isOn { (main, frame) = (main ?? frame, blank) } else { (main, frame) = (nil, main ?? blank) }
    }
  }

  private mutating func lineFeed() {
    if cursor.row < frame.rows - 1 {
      cursor.row += 1
      return
    }
    if main == nil { history.append(frame.lines[0]) }
    var scrolled = Frame(columns: frame.columns, rows: frame.rows)
    for (row, line) in frame.lines.dropFirst().enumerated() { scrolled.put(line, row: row, column: 0) }
    frame = scrolled
  }
}

extension PseudoTerminal {
  /// The screen of a terminal with this size after all output.
  ///
  /// `before` is what another program had sent to it.
  package func screen(
    columns: Int = 80, rows: Int = 24, hasAlternate: Bool = true, before: String = ""
  ) throws -> SmallScreen {
    var screen = SmallScreen(columns: columns, rows: rows, hasAlternate: hasAlternate)
    screen.feed(before.utf8)
    try expect("", within: .zero) { bytes in
      screen.feed(bytes)
      return true
    }
    return screen
  }

  /// Reads until the screen shows the text.
  @discardableResult
  package func expectScreen(_ text: String, columns: Int = 80, rows: Int = 24) throws -> SmallScreen {
    try expectScreen("\"\(text)\"", columns: columns, rows: rows) { $0.text.contains(text) }
  }

  /// Reads until `isReached` is true for the screen.
  @discardableResult
  package func expectScreen(
    _ what: String = "what is awaited", columns: Int = 80, rows: Int = 24, _ isReached: (SmallScreen) -> Bool
  ) throws -> SmallScreen {
    var screen = SmallScreen(columns: columns, rows: rows)
    var fed = 0
    do {
      try expect(what) { bytes in
        screen.feed(bytes[fed...])
        fed = bytes.count
        return isReached(screen)
      }
    } catch let failure as Failure {
      throw Failure(description: failure.description + ", but:\n" + screen.text)
    }
    return screen
  }
}
