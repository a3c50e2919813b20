import Races
import Testing

@testable import CommandLineKit

@Suite("Keys from the bytes of a terminal")
struct KeyDecoderTests {
  @Test(
    "bytes are keys",
    arguments: [
      ("a", [Key.character("a")]), ("é", [.character("é")]), ("日😀", [.character("日"), .character("😀")]),
      ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}\u{8}", [.backspace, .backspace]),
      ("\u{15}", [.control("u")]), ("\u{0}\u{1C}", [.unknown, .unknown]),
      ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]), ("\u{1B}OA\u{1B}OM", [.up, .enter]),
      ("\u{1B}[1;5A", [.up]), ("\u{1B}[H\u{1B}[1~\u{1B}[7~\u{1B}OH", [.home, .home, .home, .home]),
      ("\u{1B}[F\u{1B}[4~\u{1B}[8~", [.end, .end, .end]),
      ("\u{1B}[3~\u{1B}[5~\u{1B}[6;2~", [.delete, .pageUp, .pageDown]),
      ("\u{1B}[Z", [.backTab]), ("\u{1B}[15~\u{1B}[?1;2c", [.unknown, .unknown]),
      ("\u{1B}x", [.escape, .character("x")]), ("\u{1B}\u{1B}[A", [.escape, .up]),
      ("\u{1B}[\u{1B}[A", [.unknown, .up]), ("\u{1B}O\u{3}", [.unknown, .control("c")]),
      ("\u{1B}[200~q\r\nw\u{1B}[A\u{1B}[201~x", [.paste("q\nw\u{1B}[A"), .character("x")]),
      ("\u{1B}[200~\u{1B}[201~", [.paste("")]), ("\u{1B}[201~a", [.character("a")]),
      ("\u{9B}", [.unknown]),
    ])
  func keys(_ text: String, _ expected: [Key]) {
    var whole = KeyDecoder()
    #expect(whole.decode(text.utf8) == expected)
    #expect(!whole.isUndecided)
    // Reads may end anywhere.
    for cut in 0...text.utf8.count {
      var parts = KeyDecoder()
      #expect(parts.decode(text.utf8.prefix(cut)) + parts.decode(text.utf8.dropFirst(cut)) == expected, "cut at \(cut)")
    }
    var bytes = KeyDecoder()
    #expect(text.utf8.flatMap { bytes.decode([$0]) } == expected)
  }

  @Test("Escape is a key when nothing follows, and an unfinished sequence is an unknown key")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B]) == [])
    #expect(decoder.isUndecided)
    #expect(decoder.settle() == [.escape])
    #expect(!decoder.isUndecided)
    #expect(decoder.decode("\u{1B}[1;".utf8) == [])
    #expect(decoder.isUndecided)
    #expect(decoder.settle() == [.unknown])
    #expect(decoder.decode("a".utf8) == [.character("a")])
    #expect(decoder.settle() == [])
  }

  @Test("a pause does not end a paste")
  func slowPaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~ab\u{1B}".utf8) == [])
    #expect(!decoder.isUndecided)
    #expect(decoder.settle() == [])
    #expect(decoder.decode("[201~".utf8) == [.paste("ab")])
  }

  @Test("invalid UTF-8 is unknown, byte by byte, and what follows is understood")
  func invalid() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0xFF, 0xC3, 0x28, 0x80]) == [.unknown, .unknown, .character("("), .unknown])
    #expect(decoder.decode([0xED, 0xA0, 0x80]) == [.unknown, .unknown, .unknown])
    #expect(decoder.decode([0xE2, 0x82]) == [])
    #expect(decoder.decode([0xAC]) == [.character("€")])
  }

  @Test("a paste that is too long or is not text is refused whole, and memory stays small")
  func largePaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~".utf8) == [])
    for _ in 0..<1_000 { #expect(decoder.decode(Array(repeating: UInt8(ascii: "x"), count: 1_000)) == []) }
    #expect(decoder.decode("\u{1B}[201~y".utf8) == [.unusablePaste, .character("y")])
    #expect(decoder.decode("\u{1B}[200~ok\u{1B}[201~".utf8) == [.paste("ok")])
    #expect(decoder.decode(Array("\u{1B}[200~".utf8) + [0xFF] + Array("\u{1B}[201~".utf8)) == [.unusablePaste])
  }

  @Test("each read is consumed: only the beginning of a sequence or a paste is kept")
  func random() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      var decoder = KeyDecoder()
      let bytes = (0..<40).map { _ in
        [0x1B, UInt8(ascii: "["), UInt8(ascii: "O"), 0x7E, 0xC3, 0x28, .random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      let whole = decoder.decode(bytes) + decoder.settle()
      var parts = KeyDecoder()
      #expect(bytes.flatMap { parts.decode([$0]) } + parts.settle() == whole)
    }
  }
}

extension KeyDecoder {
  fileprivate mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] { decode(Array(bytes)) }
}
