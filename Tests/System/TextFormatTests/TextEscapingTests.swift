import Testing
import TextFormat

@Suite("Escaping of untrusted text", .timeLimit(.minutes(10)))
struct TextEscapingTests {
  @Test(
    "characters that act on a terminal are shown as escapes",
    arguments: [
      ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\u{0}b", "a\\u{0}b"), ("a\nb\r\tc", "a\\nb\\r\\tc"),
      ("\u{7F}", "\\u{7F}"),
      ("\u{9B}2J", "\\u{9B}2J"), ("\u{202E}ecila", "\\u{202E}ecila"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
      ("\u{200E}\u{200F}\u{61C}", "\\u{200E}\\u{200F}\\u{61C}"), ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
      ("\u{FEFF}", "\\u{FEFF}"), ("\u{E0041}", "\\u{E0041}"), ("\u{E000}", "\\u{E000}"), ("\u{FFFF}", "\\u{FFFF}"),
    ])
  func acts(_ text: String, _ shown: String) {
    #expect(TextEscaping.escape(text) == shown)
    #expect(text.escaped == shown)
  }

  @Test(
    "printable characters do not change",
    arguments: ["", "alice", "Zoë", "e\u{301}", "日本語", "عربي", "👩‍👩‍👧", "\\x", "\""])
  func shows(_ text: String) {
    #expect(TextEscaping.escape(text) == text)
    #expect(text.escaped == text)
  }

  @Test("no byte is lost or repaired")
  func invalid() {
    #expect(
      TextEscaping.escape([0xFF, 0x61, 0xC0, 0x80, 0xED, 0xA0, 0x80] as [UInt8]) == "\\xFFa\\xC0\\x80\\xED\\xA0\\x80")
    #expect(TextEscaping.escape([0xF0, 0x9F, 0x98, 0x80, 0xF0, 0x9F] as [UInt8]) == "😀\\xF0\\x9F")
  }

  @Test("no control character survives, whatever the bytes")
  func random() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      #expect(!TextEscaping.escape(bytes).unicodeScalars.contains { $0.isUnprintable }, "\(bytes)")
    }
  }
}
