import Terminals
import Testing

@testable import CommandLineKit

@Suite("A frame", .timeLimit(.minutes(10)))
struct FrameTests {
  @Test("text keeps to its columns: what does not fit is cut off, and no half of a wide character is drawn")
  func fits() {
    var frame = Frame(columns: 8, rows: 2)
    #expect(frame.put("日本語日本", row: 0, column: 1) == 7)
    #expect(frame.put("abcdef", row: 1, column: 2, width: 3) == 5)
    #expect(frame.lines == [" 日本語", "  abc"])
    #expect(frame.put("out", row: 2, column: 0) == 0)
    #expect(frame.put("out", row: 0, column: 8) == 8)
    #expect(frame.put("out", row: 0, column: -1) == -1)
    #expect(frame.lines == [" 日本語", "  abc"])
  }

  @Test(
    "what is drawn over one half of a wide character takes the other half away",
    arguments: [(2, "x", "  x本"), (2, "語", "  語"), (3, "x", " 日x")])
  func halves(_ column: Int, _ text: String, _ line: String) {
    var frame = Frame(columns: 6, rows: 1)
    frame.put("日本", row: 0, column: 1)
    frame.put(text, row: 0, column: column)
    #expect(frame.lines == [line])
  }

  @Test("no text acts on the terminal, and a combining mark without a letter is drawn on a circle")
  func harmless() {
    var frame = Frame(columns: 30, rows: 2)
    frame.put("a\u{1B}[2Jb\u{202E}", row: 0, column: 0)
    frame.put("\u{301}x", row: 1, column: 0)
    #expect(frame.lines == ["a\\u{1B}[2Jb\\u{202E}", "\u{25CC}\u{301}x"])
  }
}
