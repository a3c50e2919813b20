import Testing

@testable import CommandLineKit

@Suite("Columns of a terminal")
struct DisplayWidthTests {
  @Test(
    "text takes the columns that a terminal gives it",
    arguments: [
      ("", 0), ("abc", 3), ("Zoë", 3), ("Zoe\u{308}", 3), ("日本", 4), ("한글", 4), ("ｆｕ", 4), ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
      ("\u{301}", 0), ("❤️", 2), ("…", 1),
    ])
  func columns(_ text: String, _ expected: Int) {
    #expect(DisplayWidth.columns(text) == expected)
  }

  @Test("shortened text fits, and says that it is shortened")
  func truncate() {
    #expect(DisplayWidth.truncate("abcdef", to: 6) == "abcdef")
    #expect(DisplayWidth.truncate("abcdef", to: 4) == "abc…")
    #expect(DisplayWidth.truncate("日本語", to: 4) == "日…")
    #expect(DisplayWidth.truncate("abc", to: 0) == "")
    #expect(DisplayWidth.truncate("abc", to: 1) == "…")
  }

  @Test("a table is aligned by columns, keeps to its width, and escapes its cells")
  func table() {
    var table = Table([.init(title: "Name"), .init(title: "Amount", alignment: .right)])
    table.add(["日本", "1.00"])
    table.add(["alice\u{1B}", "12.50"])
    table.add(["bob"])
    #expect(
      table.lines(width: nil) == ["Name         Amount", "日本           1.00", "alice\\u{1B}   12.50", "bob"])
    var wide = Table([.init(title: "Text"), .init(title: "ID")])
    wide.add([String(repeating: "x", count: 100), "7"])
    #expect(wide.lines(width: 40).allSatisfy { DisplayWidth.columns($0) <= 40 })
    #expect(wide.lines(width: 40)[1].contains("…"))
    #expect(wide.lines(width: nil)[1].contains(String(repeating: "x", count: 100)))
  }
}
