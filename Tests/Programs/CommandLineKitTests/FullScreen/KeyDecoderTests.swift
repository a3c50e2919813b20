import Races
import Terminals
import Testing

@testable import CommandLineKit

@Suite("Keys from the bytes of a terminal", .timeLimit(.minutes(10)))
struct KeyDecoderTests {
  @Test(
    "bytes are keys",
    arguments: [
      ("a", [Key.character("a")]), ("é", [.character("é")]), ("日😀", [.character("日"), .character("😀")]),
      ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}\u{8}", [.backspace, .backspace]),
      ("\u{15}", [.control("u")]), ("\u{0}\u{1C}", []),
      ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]), ("\u{1B}OA\u{1B}OM", [.up, .enter]),
      ("\u{1B}[1;5A", [.up]), ("\u{1B}[H\u{1B}[1~\u{1B}[7~\u{1B}OH", [.home, .home, .home, .home]),
      ("\u{1B}[F\u{1B}[4~\u{1B}[8~", [.end, .end, .end]),
      ("\u{1B}[3~\u{1B}[5~\u{1B}[6;2~", [.delete, .pageUp, .pageDown]),
      ("\u{1B}[Z", [.backTab]), ("\u{1B}[15~\u{1B}[?1;2c", []),
      ("\u{1B}OP\u{1B}[11~\u{1B}[[A\u{1B}[[B", [.help, .help, .help]),
      ("\u{1B}[\u{1B}[A", [.up]), ("\u{1B}O\u{3}", [.control("c")]),
      ("\u{1B}[200~q\r\nw\u{1B}[A\u{1B}[201~x", [.paste(PastedText("q\nw\u{1B}[A")), .character("x")]),
      ("\u{1B}[200~\u{1B}\u{1B}[201~", [.paste(PastedText("\u{1B}"))]),
      ("\u{1B}[200~\u{1B}[201~", [.paste(PastedText(""))]), ("\u{1B}[201~a", [.character("a")]),
      ("\u{9B}", []),
      // The mouse, in each encoding: only SS3 M is the keypad's Enter.
      ("\u{1B}[<64;10;5M\u{1B}[<0;1;1m", []), ("\u{1B}[96;10;5M", []), ("\u{1B}[M !!\u{1B}[M```q", [.character("q")]),
      // With Alt it is another key, also where the terminal sends Escape twice.
      ("\u{1B}x\u{1B}é\u{1B}\r\u{1B}日q", [.character("q")]), ("\u{1B}[1;3A\u{1B}[3;9~\u{1B}\u{1B}[A\u{1B}\u{1B}OM", []),
      // Answers of the terminal, to the end.
      ("\u{1B}]52;c;cQ==\u{7}a", [.character("a")]), ("\u{1B}]11;rgb:0/0/0\u{1B}\\a", [.character("a")]),
      ("\u{1B}P1$rq\u{1B}\\\u{1B}_yq\u{1B}\\\u{1B}^yq\u{1B}\\\u{1B}Xyq\u{1B}\\a", [.character("a")]),
      ("\u{1B}]q\u{18}a", [.character("a")]), ("\u{1B}[I\u{1B}[O\u{1B}[5;10R\u{1B}[>0;1c", []),
      ("\u{1B}[13;5u\u{1B}[27;3;13~", []),
    ])
  func keys(_ text: String, _ expected: [Key]) {
    var whole = KeyDecoder()
    #expect(whole.decode(text.utf8) == expected)
    #expect(whole.patience == nil)
    // Reads may end anywhere.
    for cut in 0...text.utf8.count {
      var parts = KeyDecoder()
      #expect(parts.decode(text.utf8.prefix(cut)) + parts.decode(text.utf8.dropFirst(cut)) == expected, "cut at \(cut)")
    }
    var bytes = KeyDecoder()
    #expect(text.utf8.flatMap { bytes.decode([$0]) } == expected)
  }

  @Test("Escape is a key when nothing follows, and an unfinished sequence is awaited for longer and then none")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B]) == [])
    #expect(decoder.patience == .milliseconds(50))
    #expect(decoder.settle() == .escape)
    #expect(decoder.patience == nil)
    for text in ["\u{1B}[1;", "\u{1B}O", "\u{1B}[M!", "\u{1B}]0;title", "\u{1B}[<0;1"] {
      #expect(decoder.decode(text.utf8) == [])
      #expect(decoder.patience == .seconds(1))
      #expect(decoder.settle() == nil)
      #expect(decoder.decode("a".utf8) == [.character("a")])
    }
    #expect(decoder.settle() == nil)
  }

  @Test("where the mouse is read, presses and the wheel are keys; other reports and other forms are not")
  func mouse() {
    var decoder = KeyDecoder()
    decoder.readsMouse = true
    let reports =
      "\u{1B}[<0;5;7M\u{1B}[<0;5;7m\u{1B}[<2;5;7M\u{1B}[<32;5;7M\u{1B}[<64;1;1M\u{1B}[<81;1;1M\u{1B}[<0;0;0M"
    #expect(decoder.decode(reports.utf8) == [.click(row: 6, column: 4), .scrollUp, .scrollDown])
    #expect(decoder.decode("\u{1B}[M !!\u{1B}[96;10;5M\u{1B}[<0M\u{1B}[>0;1;1M".utf8) == [])
  }

  @Test("text for the clipboard is Base64")
  func base64() {
    for (text, encoded) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("ÿ>?", "w78+Pw=="),
    ] {
      #expect(ScreenTerminal.base64(text) == encoded)
    }
  }

  @Test("a pause does not end a paste")
  func slowPaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~ab\u{1B}".utf8) == [])
    #expect(decoder.patience == nil)
    #expect(decoder.settle() == nil)
    #expect(decoder.decode("[201~".utf8) == [.paste(PastedText("ab"))])
  }

  @Test("invalid UTF-8 is no key, and what follows is understood")
  func invalid() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0xFF, 0xC3, 0x28, 0x80]) == [.character("(")])
    #expect(decoder.decode([0xED, 0xA0, 0x80]) == [])
    #expect(decoder.decode([0xC0, 0xAF, 0xE0, 0x80, 0xAF, 0xF4, 0x90, 0x80, 0x80]) == [])
    #expect(decoder.decode([0xE2, 0x82]) == [])
    #expect(decoder.decode([0xAC]) == [.character("€")])
  }

  @Test("a paste that is too long or is not text is refused whole, and memory stays small")
  func largePaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~".utf8) == [])
    for _ in 0..<1_000 { #expect(decoder.decode(Array(repeating: UInt8(ascii: "x"), count: 1_000)) == []) }
    #expect(decoder.decode("\u{1B}[201~y".utf8) == [.unusablePaste, .character("y")])
    #expect(decoder.decode("\u{1B}[200~ok\u{1B}[201~".utf8) == [.paste(PastedText("ok"))])
    #expect(decoder.decode(Array("\u{1B}[200~".utf8) + [0xFF] + Array("\u{1B}[201~".utf8)) == [.unusablePaste])
  }

  @Test("random bytes: it never traps, and after a pause a letter is a letter")
  func random() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      var decoder = KeyDecoder()
      let bytes = (0..<40).map { _ in
        [
          0x1B, UInt8(ascii: "["), UInt8(ascii: "O"), UInt8(ascii: "M"), 0x7E, 0xC3,
          .random(in: 0...255, using: &random),
        ]
        .randomElement(using: &random) ?? 0
      }
      _ = decoder.decode(bytes)
      _ = decoder.settle()
      #expect(decoder.decode("z".utf8) == [.character("z")])
    }
  }
}

extension KeyDecoder {
  fileprivate mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    bytes.compactMap { decode($0) }
  }
}
