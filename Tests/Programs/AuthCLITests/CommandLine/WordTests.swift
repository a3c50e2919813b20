import Testing

@testable import CommandLineKit
@testable import TextFormat

@Suite("Words and how they are quoted", .timeLimit(.minutes(10)))
struct WordTests {
  @Test("a word that is not UTF-8 has no text and is quoted byte by byte")
  func invalid() {
    let word = Word(bytes: [0x61, 0xFF, 0xC3, 0xA9, 0xE2, 0x82])
    #expect(word.text == nil)
    #expect(word.quoted == "'a\\xFFé\\xE2\\x82'")
  }

  @Test("a long word is shortened between characters, and its size told")
  func long() {
    let word = Word(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
    #expect(word.quoted == "'\(String(repeating: "x", count: 64))…' (1048576 bytes)")
    let cut = Word(String(repeating: "x", count: 63) + "€uro")
    #expect(cut.quoted == "'\(String(repeating: "x", count: 63))…' (69 bytes)")
    let garbage = Word(bytes: [UInt8](repeating: 0x80, count: 100))
    #expect(garbage.quoted.hasPrefix("'\\x80\\x80"))
  }

  @Test(
    "what may be a secret in an address or a setting is not repeated",
    arguments: [
      ("https://user:pw@id.example/realm", "https://…@id.example/realm"),
      ("https://pw@id.example", "https://…@id.example"),
      ("https://user:p/w@id.example", "https://…@id.example"), ("https://user:p?w@id.example", "https://…"),
      ("user:pw@id.example", "…@id.example"), ("http://127.0.0.1:1/?code=pw&state=x", "http://127.0.0.1:1/?…"),
      ("https://id.example/#pw", "https://id.example/#…"),
      ("postgresql://u:pw@h/db?sslpassword=pw", "postgresql://…@h/db?…"),
      ("host=h password=pw", "host=…"), ("client_secret=pw", "client_secret=…"),
      ("https://u:\(String(repeating: "pw", count: 99))@h", "https://…@h"),
      ("alice@example.org", "alice@example.org"), ("http://id.example/realm", "http://id.example/realm"),
      ("12,5", "12,5"),
    ])
  func secrets(typed: String, shown: String) {
    #expect(Word(typed).quoted == "'\(shown)'")
    guard typed.contains("://") else { return }
    let error = CommandError(
      .malformedValue, "the word '\(typed)' is wrong: no", hint: "Correct '\(typed)' in \(run: "pay", "--key", typed)")
    #expect(error.message == "the word '\(shown)' is wrong: no")
    let command = ["auth-cli", "pay", "--key", typed].map { ShellQuoting.word($0) }.joined(separator: " ")
    #expect(error.hint.text(of: "auth-cli", with: []) == "Correct '\(shown)' in \(command)")
  }

  @Test("the nearest name is within an edit for every three characters")
  func nearest() {
    #expect(NearestName.distance(Array("lgoin"), Array("login")) == 1)
    #expect(NearestName.distance(Array(""), Array("abc")) == 3)
    #expect(NearestName.distance(Array("kitten"), Array("sitting")) == 3)
    #expect(NearestName.find("recipts", among: ["receipts", "register"]) == "receipts")
    #expect(NearestName.find("of", among: ["on", "off", "status"]) == "off")
    #expect(NearestName.find("xyz", among: ["pay", "man"]) == nil)
    #expect(NearestName.find("", among: ["pay"]) == nil)
    #expect(NearestName.find(Word(bytes: [UInt8](repeating: 0x61, count: 1 << 20)), among: ["pay"]) == nil)
  }
}
