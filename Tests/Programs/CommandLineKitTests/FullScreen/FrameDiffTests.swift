import Glibc
import Programs
import Terminals
import Testing

@testable import CommandLineKit

@Suite("The bytes that turn one frame into the next", .timeLimit(.minutes(10)))
struct FrameDiffTests {
  @Test(
    "an independent emulator that gets the bytes shows the frames", .enabled(Emulator.advice, Emulator.isHere),
    arguments: 1...2)
  func emulated(_ seed: UInt64) async throws {
    let steps = Self.steps(seed: seed, count: 250)
    for (step, screen) in zip(steps, try await Emulator.screens(steps)) {
      try #require(screen == step.frame.withoutFaint.golden, "seed \(seed), after \(String(reflecting: step.bytes))")
    }
  }

  @Test("the small emulator of these tests shows the frames", arguments: Effort.sample(Array(1...20), 5))
  func small(_ seed: UInt64) throws {
    var screen = SmallScreen(columns: 20, rows: 5)
    for step in Self.steps(seed: seed, count: 200) {
      screen.resize(columns: step.frame.columns, rows: step.frame.rows)
      screen.feed(step.bytes)
      try #require(screen.frame.golden == step.frame.golden, "seed \(seed)")
    }
    #expect(screen.unknown == [])
  }

  @Test("a frame that is shown already is not sent again")
  func same() {
    var random = RandomFrames(seed: 7)
    for _ in 0..<50 {
      let frame = random.next()
      #expect(FrameDiff.bytes(from: frame, to: frame, colors: true) == [])
    }
  }

  @Test("without colours no colour is set, except that of a picture, and the rest of the styles is")
  func noColors() {
    let styles = CellStyle.allCases.filter { $0 != .picture }
    #expect(CellStyle.picture.parameters(colors: false) == CellStyle.picture.parameters(colors: true))
    var frame = Frame(columns: 20, rows: styles.count)
    for (row, style) in styles.enumerated() { frame.put("text", row: row, column: 0, style: style) }
    let text = String(decoding: FrameDiff.bytes(from: nil, to: frame, colors: false), as: UTF8.self)
    let colored = String(decoding: FrameDiff.bytes(from: nil, to: frame, colors: true), as: UTF8.self)
    #expect(!text.contains("38;5;"))
    for color in 30...37 { #expect(!text.contains("\(color)m")) }
    #expect(colored.contains("[0;38;5;28m") && colored.contains("[0;1;38;5;196m"))
    #expect(text.contains("[0;7m") && text.contains("[1m"))
  }

  /// The picture has its own background.
  @Test(
    "colours have contrast with a white and with a black background",
    arguments: CellStyle.allCases.filter { $0 != .picture })
  func contrast(_ style: CellStyle) throws {
    guard let parameter = style.parameters(colors: true).split(separator: ";").last, parameter.count > 1 else { return }
    let number = try #require(Int(parameter)) - 16
    // The colour cube of xterm, and the relative luminance of WCAG 2.2.
    let levels = [0, 95, 135, 175, 215, 255].map { (level: Double) in
      let part = level / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    try #require((0..<216).contains(number))
    let luminance = 0.2126 * levels[number / 36] + 0.7152 * levels[number / 6 % 6] + 0.0722 * levels[number % 6]
    #expect(1.05 / (luminance + 0.05) >= 3.9 && (luminance + 0.05) / 0.05 >= 3.9, "\(style)")
  }

  @Test("where the locale has no UTF-8, all bytes are ASCII, and everything is in its columns")
  func ascii() {
    var screen = SmallScreen(columns: 40, rows: 4)
    var frame = Frame(columns: 40, rows: 4)
    frame.put("┌──┐ ━┩ 名前 Zoë ▶ ‹› ↑↓…", row: 1, column: 0)
    frame.put("end", row: 1, column: 30)
    let bytes = FrameDiff.bytes(from: nil, to: frame, colors: true, isASCII: true)
    #expect(bytes.allSatisfy { $0 < 0x80 })
    screen.feed(bytes)
    #expect(screen.frame.lines[1] == "+--+ =# ???? Zo? > <> ^v~     end")
  }

  @Test("few blanks are drawn, many are erased, and those after the last sign with one sequence")
  func blanks() {
    var old = Frame(columns: 40, rows: 1)
    old.put(String(repeating: "x", count: 40), row: 0, column: 0)
    var new = Frame(columns: 40, rows: 1)
    new.put("a  b", row: 0, column: 0)
    new.put("c", row: 0, column: 20)
    let text = String(decoding: FrameDiff.bytes(from: old, to: new, colors: true), as: UTF8.self)
    #expect(text == "\u{1B}[?2026h\u{1B}[1Ha  b\u{1B}[16X\u{1B}[16Cc\u{1B}[K\u{1B}[?2026l")
  }

  @Test("all of a frame is inside one synchronized update, and the cursor hides while it is drawn")
  func synchronized() {
    var old = Frame(columns: 20, rows: 3)
    old.cursor = .init(row: 1, column: 1)
    var new = old
    new.put("x", row: 0, column: 0)
    let text = String(decoding: FrameDiff.bytes(from: old, to: new, colors: true), as: UTF8.self)
    #expect(text == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[1Hx\u{1B}[2;2H\u{1B}[?25h\u{1B}[?2026l")
  }

  @Test("a row with a character whose width terminals disagree on, now or before, is cleared and drawn whole")
  func disputedWidth() {
    for odd in ["👩‍👩‍👧", "🏳️", "क्षि", "…"] {
      var old = Frame(columns: 10, rows: 2)
      old.put("abcdef", row: 0, column: 0)
      old.put("same", row: 1, column: 0)
      var new = old
      let end = new.put(odd, row: 0, column: 1)
      let rest = String("abcdef".dropFirst(end))
      let drawn = FrameDiff.bytes(from: old, to: new, colors: true)
      #expect(
        String(decoding: drawn, as: UTF8.self)
          == "\u{1B}[?2026h\u{1B}[1H\u{1B}[Ka\(odd)\u{1B}[1;\(end + 1)H\(rest)\u{1B}[?2026l")
      let cleared = FrameDiff.bytes(from: new, to: old, colors: true)
      #expect(String(decoding: cleared, as: UTF8.self) == "\u{1B}[?2026h\u{1B}[1H\u{1B}[Kabcdef\u{1B}[?2026l")
    }
  }

  private static func steps(seed: UInt64, count: Int) -> [Emulator.Step] {
    var random = RandomFrames(seed: seed)
    var shown: Frame?
    return (0..<count).map { _ in
      let frame = random.next()
      defer { shown = frame }
      return (frame, FrameDiff.bytes(from: shown, to: frame, colors: true))
    }
  }
}

extension Frame {
  /// The same as an emulator shows it that does not tell faint text from plain.
  fileprivate var withoutFaint: Frame {
    var frame = self
    for index in cells.indices where cells[index].style == .faint {
      frame.restyle(row: index / columns, columns: (index % columns)..<(index % columns + 1), style: .plain)
    }
    return frame
  }
}
