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
    #expect(decoder.patience == .milliseconds(100))
    #expect(decoder.flush() == [.escape])
    // Now the rest of a sequence may follow, but not for ever.
    #expect(decoder.patience == .seconds(1))
    #expect(decoder.flush() == [])
    #expect(decoder.patience == nil)
    #expect(decoder.decode("[A".utf8) == [.character("["), .character("A")])
    for text in ["\u{1B}[1;", "\u{1B}O", "\u{1B}[M!", "\u{1B}]0;title", "\u{1B}[<0;1"] {
      #expect(decoder.decode(text.utf8) == [])
      #expect(decoder.patience == .seconds(1))
      #expect(decoder.flush() == [])
      #expect(decoder.decode("a".utf8) == [.character("a")])
    }
    #expect(decoder.flush() == [])
  }

  @Test(
    "the rest of a sequence that comes after its Escape became a key is still that sequence",
    arguments: [
      ("[A", [Key.up]), ("[1;5B", [.down]), ("OC", [.right]), ("OH", [.home]), ("[3~", [.delete]), ("[Z", [.backTab]),
      ("[[A", [.help]), ("[<0;5;7M", []), ("[?1;2c", []), ("[99;9u", []),
      ("[200~q\u{1B}[201~", [.paste(PastedText("q"))]),
      // What a user typed after Escape is text.
      ("[x", [.character("["), .character("x")]), ("Os", [.character("O"), .character("s")]),
      ("O'B", [.character("O"), .character("'"), .character("B")]), ("[é", [.character("["), .character("é")]),
      ("[\r", [.character("["), .enter]), ("O\r", [.character("O"), .enter]),
      ("a[A", [.character("a"), .character("["), .character("A")]),
    ])
  func late(_ rest: String, _ keys: [Key]) {
    for cut in 0..<rest.utf8.count {
      var decoder = KeyDecoder()
      #expect(decoder.decode([0x1B]) + decoder.flush() == [.escape])
      let parts = decoder.decode(rest.utf8.prefix(cut)) + decoder.decode(rest.utf8.dropFirst(cut))
      #expect(parts == keys, "cut at \(cut)")
      #expect(decoder.patience == nil)
    }
    // Twice the same, as a held key: the second Escape directly follows the rest of the first.
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B]) + decoder.flush() == [.escape])
    #expect(decoder.decode("[A\u{1B}".utf8) + decoder.flush() == [.up, .escape])
    #expect(decoder.decode("[A".utf8) == [.up])
  }

  @Test("a character that could begin the rest of a sequence is that character after a pause")
  func typedAfterEscape() {
    for character in ["[", "O"] as [Unicode.Scalar] {
      var decoder = KeyDecoder()
      #expect(decoder.decode([0x1B]) + decoder.flush() == [.escape])
      #expect(decoder.decode([UInt8(character.value)]) == [])
      #expect(decoder.patience == .seconds(1))
      #expect(decoder.flush() == [.character(character)])
      #expect(decoder.decode("A".utf8) == [.character("A")])
    }
  }

  @Test(
    "keys that a left-over mode makes the terminal report by numbers are those keys",
    arguments: [
      // kitty: the code of the key without Shift, and its modifiers.
      (
        "\u{1B}[97u\u{1B}[97;1u\u{1B}[97;2u\u{1B}[97:65;2u",
        [Key.character("a"), .character("a"), .character("A"), .character("A")]
      ),
      (
        "\u{1B}[113;5u\u{1B}[99;5u\u{1B}[92;5u\u{1B}[122;6u",
        [.control("q"), .control("c"), .control("\\"), .control("z")]
      ),
      (
        "\u{1B}[104;5u\u{1B}[105;5u\u{1B}[109;5u\u{1B}[106;5u\u{1B}[91;5u", [.backspace, .tab, .enter, .enter, .escape]
      ),
      (
        "\u{1B}[27u\u{1B}[13u\u{1B}[13;5u\u{1B}[9u\u{1B}[9;2u\u{1B}[127u",
        [.escape, .enter, .enter, .tab, .backTab, .backspace]
      ),
      // The text decides, if it is known; without it, a sign with Shift depends on the keyboard.
      ("\u{1B}[47;2;63u\u{1B}[47:63;2u\u{1B}[47;2u\u{1B}[228u", [.character("?"), .character("?"), .character("ä")]),
      (
        "\u{1B}[97;65u\u{1B}[97;66u\u{1B}[49;129u\u{1B}[1;129A",
        [.character("A"), .character("a"), .character("1"), .up]
      ),
      // A release is no key; a repetition is one.
      ("\u{1B}[97;1:3u\u{1B}[97;1:2u\u{1B}[1;1:3A\u{1B}[1;1:1A\u{1B}[5;1:3~", [.character("a"), .up]),
      (
        "\u{1B}[57399u\u{1B}[57409u\u{1B}[57414u\u{1B}[57419u\u{1B}[57426u",
        [.character("0"), .character("."), .enter, .up, .delete]
      ),
      (
        "\u{1B}[57358u\u{1B}[57441;2u\u{1B}[57428u\u{1B}[1114112u\u{1B}[0u\u{1B}[u\u{1B}[155u\u{1B}[99999999999999999999u",
        []
      ),
      // With Alt and the others it is another key.
      ("\u{1B}[97;3u\u{1B}[97;9u\u{1B}[13;3u", []),
      // xterm: the character with Shift.
      (
        "\u{1B}[27;5;113~\u{1B}[27;6;67~\u{1B}[27;2;63~\u{1B}[27;2;65~",
        [.control("q"), .control("c"), .character("?"), .character("A")]
      ),
      ("\u{1B}[27;5;13~\u{1B}[27;2;9~\u{1B}[27;1;27~\u{1B}[27;3;97~\u{1B}[27~", [.enter, .backTab, .escape]),
      // The keypad in application mode.
      (
        "\u{1B}Op\u{1B}Oy\u{1B}On\u{1B}Ok\u{1B}OX",
        [.character("0"), .character("9"), .character("."), .character("+"), .character("=")]
      ),
    ])
  func reported(_ text: String, _ expected: [Key]) {
    keys(text, expected)
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

  @Test("a paste without its end is refused after a pause, and swallows no more keys")
  func endlessPaste() {
    for text in ["ab", "ab\u{1B}", "ab\u{1B}[201", "", String(repeating: "x", count: KeyDecoder.pasteLimit + 1)] {
      var decoder = KeyDecoder()
      #expect(decoder.decode("\u{1B}[200~\(text)".utf8) == [])
      #expect(decoder.patience == .seconds(1))
      #expect(decoder.flush() == [.unusablePaste])
      #expect(decoder.patience == nil && decoder.flush() == [])
      #expect(
        decoder.decode("q\u{1B}[A\u{1B}[200~x\u{1B}[201~".utf8) == [.character("q"), .up, .paste(PastedText("x"))])
    }
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
      _ = decoder.flush()
      #expect(decoder.decode("z".utf8) == [.character("z")])
    }
  }
}

extension KeyDecoder {
  fileprivate mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { decode(byte) { keys.append($0) } }
    return keys
  }

  /// The keys after a pause.
  fileprivate mutating func flush() -> [Key] {
    var keys: [Key] = []
    flush { keys.append($0) }
    return keys
  }
}
