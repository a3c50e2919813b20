import Testing
import TextFormat

@Suite(.timeLimit(.minutes(10))) struct JSONReadingTests {
  private func read(_ text: String) -> JSON? { JSON(parsing: Array(text.utf8)) }

  @Test("every form of value is read")
  func values() {
    #expect(
      read(#" { "a" : [ 1 , -0, 2.5e2, true , false , null , "x\"\\\/\b\f\n\r\té😀" ] , "b" : {} } "#)
        == [
          "a": [1, 0, .number(250), .bool(true), .bool(false), nil, "x\"\\/\u{8}\u{C}\n\r\té😀"],
          "b": .object([]),
        ])
    #expect(read("9223372036854775807") == .integer(.max))
    #expect(read("9223372036854775808") == .number(9223372036854775808))
    #expect(read(#""\uD83D\uDE00""#) == "😀")
    #expect(read("\"\(String(repeating: "e\u{301}\u{323}", count: 99))\"") != nil)
  }

  @Test("what is written is read again")
  func roundTrip() {
    let value: JSON = ["a": [1, "\u{1B}\u{2028}é", .number(0.1)], "": .object([])]
    #expect(read(value.text) == value)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", " ", "{", "[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "{\"a\":1 \"b\":2}", "01", "1.", ".5", "+1",
      "1e", "-", "nul", "nulll", "True", "'a'", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\uD83D\"", "\"\\uDE00\"",
      "\"\\uD83D\\u0041\"", "\"\u{1}\"", "\"\n\"", "1 1", "[]]", "1e999", "NaN", "0x10", "{\"a\":1,\"a\":2}",
      "\u{FEFF}1",
      "//\n1", "\"\\u12_4\"", "\"\\u00 1\"", "\"\\u004\u{11}\"", "\u{B}1",
      "\"\(String(repeating: "\u{301}", count: 31))\"",
    ])
  func refused(text: String) {
    #expect(read(text) == nil)
  }

  @Test("a text that is not UTF-8 is refused")
  func encoding() {
    #expect(JSON(parsing: [0x22, 0xFF, 0x22]) == nil)
    #expect(JSON(parsing: [0x22, 0xC0, 0x80, 0x22]) == nil)
  }

  @Test("nesting ends where the stack is still large")
  func depth() {
    #expect(read(String(repeating: "[", count: 31) + String(repeating: "]", count: 31)) != nil)
    #expect(read(String(repeating: "[", count: 33) + String(repeating: "]", count: 33)) == nil)
    #expect(read(String(repeating: "[", count: 1_000_000)) == nil)
    #expect(read(String(repeating: "{\"a\":", count: 100_000)) == nil)
  }
}
