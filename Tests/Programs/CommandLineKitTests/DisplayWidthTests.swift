import Testing
import TextFormat

@testable import CommandLineKit

@Suite("Columns of a terminal", .timeLimit(.minutes(10)))
struct DisplayWidthTests {
  @Test(
    "text has the same width as on a terminal",
    arguments: [
      ("", 0), ("abc", 3), ("Zoë", 3), ("Zoe\u{308}", 3), ("日本", 4), ("한글", 4), ("ｆｕ", 4), ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
      ("\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}", 7), ("👨‍👩‍👧‍👦 Ng", 5), ("\u{301}", 0), ("❤️", 2), ("…", 1),
    ])
  func columns(_ text: String, _ expected: Int) {
    #expect(DisplayWidth.columns(text) == expected)
  }

  @Test("lines, blocks and dots, which are not looked up, have the width that Unicode defines")
  func linesAndBlocks() {
    let all = (UInt32(0)...0xFFFF).compactMap { Unicode.Scalar($0) }.filter(\.isForDrawing)
    #expect(all.first == "─" && all.contains("▟") && all.last == "⣿")
    for scalar in all {
      #expect(scalar.properties.generalCategory == .otherSymbol && !scalar.properties.isEmojiPresentation, "\(scalar)")
    }
    #expect(DisplayWidth.columns(all.map { String($0) }.joined()) == all.count)
  }

  @Test("shortened text fits, and ends with an ellipsis")
  func truncate() {
    #expect(DisplayWidth.truncate("abcdef", to: 6) == "abcdef")
    #expect(DisplayWidth.truncate("abcdef", to: 4) == "abc…")
    #expect(DisplayWidth.truncate("日本語", to: 4) == "日…")
    #expect(DisplayWidth.truncate("abc", to: 0) == "")
    #expect(DisplayWidth.truncate("abc", to: 1) == "…")
  }

  @Test("a table is aligned by columns and escapes its cells")
  func table() {
    let table = Table(["Name", .right("Amount")], rows: [["日本", "1.00"], ["alice\u{1B}", "12.50"], ["bob"]])
    #expect(table.lines(width: nil) == ["Name         Amount", "日本           1.00", "alice\\u{1B}   12.50", "bob"])
  }

  @Test("if a table is too wide, each row is a paragraph that fits, with every complete value next to its title")
  func paragraphs() {
    let table = Table(
      [.init(title: "TIME", unit: "UTC"), "EVENT", "BY", "", "TEXT"],
      rows: [["2026-01-31 10:30:00", "authn_login_successafterfail", "", "this one", "日本語日本語日本語日本語"]])
    #expect(
      table.lines(width: 40) == [
        "time 2026-01-31 10:30:00 UTC", "  event authn_login_successafterfail", "  this one",
        "  text 日本語日本語日本語日本語",
      ])
    #expect(
      table.lines(width: 20) == [
        "time 2026-01-31", "    10:30:00 UTC", "  event", "    authn_login_succ", "    essafterfail", "  this one",
        "  text", "    日本語日本語日本", "    語日本語",
      ])
    #expect(table.lines(width: 110)[0].hasPrefix("TIME (UTC)           EVENT"))
    #expect(table.lines(width: nil)[0].hasPrefix("TIME (UTC)           EVENT"))
  }

  @Test("text that may be cut is wrapped in its column while that can be read, and then the last is below its row")
  func wrapped() {
    let table = Table(
      [.right("N"), .cut("WHO"), .cut("TEXT")],
      rows: [["1", "bob", "0123456789012345678901234567890"], ["22", "alice", ""]])
    #expect(
      table.lines(width: 28) == [
        " N  WHO    TEXT", " 1  bob    01234567890123456", "           78901234567890", "22  alice",
      ])
    #expect(
      table.lines(width: 26) == [
        " N  WHO", "  TEXT", " 1  bob", "  012345678901234567890123", "    4567890", "22  alice",
      ])
    #expect(table.lines(width: 8)[0] == "n 1")
    #expect(
      DisplayWidth.split("one or two words, and morethan one", to: 9, indent: "  ") == [
        "one or", "  two", "  words,", "  and", "  moretha", "  n one",
      ])
  }
}
