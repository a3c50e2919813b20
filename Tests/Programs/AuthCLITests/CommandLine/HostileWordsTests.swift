import AuthMessages
import Programs
import Testing
import TextFormat

@testable import AuthCLIProgram
@testable import CommandLineKit

@Suite("Hostile command lines", .timeLimit(.minutes(10)))
struct HostileWordsTests {
  /// Words that have broken parsers, and words of the table to reach every phase with them.
  static let vocabulary: [Word] = [
    "", "-", "--", "--=", "--to", "--to=", "--context=../x", "--json", "-h", "--help=x", "--limit", "--password-stdin",
    "-5",
    "12.50", "pay", "login", "sessions", "revoke", "help", "\u{1B}[2J", "\u{202E}yap", Word(bytes: [0xFF]),
    Word(bytes: [0x2D, 0x2D, 0xFF]),
  ]

  /// More of them: at the end of a line, and in shorter ones anywhere.
  static let more: [Word] = [
    " ", "---", "-=", "=", "--to=bob", "--context", "--json=", "-q", "-qh", "--help", "--version", "--limit=0", "-0x",
    "-.",
    "0", "NaN", "1e999", "١٢", "accounts", "completions", "bash", "PAY", "pay\u{0}", "../../etc/passwd", "%s%n",
    "$(reboot)", "'\"\\", "😀", "\u{301}", Word(bytes: [0x2D, 0x2D, 0x74, 0x6F, 0x3D, 0xC3]),
    Word(bytes: [0xED, 0xA0, 0x80]),
  ]

  @Test("every line of up to three hostile words is understood or refused")
  func triples() {
    var outcomes = (understood: 0, refused: 0)
    func parse(_ words: [Word]) {
      do {
        _ = try AuthTool.tool.parse(words)
        outcomes.understood += 1
      } catch {
        // A macro here would take longer than the parser.
        if (error.message + error.hint.description).unicodeScalars.contains(where: \.isUnprintable) {
          Issue.record("\(error) has a control character")
        }
        outcomes.refused += 1
      }
    }
    let all = Self.vocabulary + Self.more
    let last = Effort.sample(all, 4)
    parse([])
    // What the first two words leave the parser in depends on what they are, not on how they are
    // spelled: few reach every phase.
    for first in Self.vocabulary {
      for second in Self.vocabulary {
        for third in last { parse([first, second, third]) }
      }
    }
    for first in all {
      parse([first])
      for second in all { parse([first, second]) }
    }
    let (three, two) = (Self.vocabulary.count, all.count)
    #expect(outcomes.understood + outcomes.refused == 1 + three * three * last.count + two + two * two)
    #expect(outcomes.understood > 500)
    #expect(outcomes.refused > 1000)
  }

  @Test("a word of a mebibyte is refused like any other")
  func mebibyte() {
    let bytes = [UInt8(ascii: "a"), UInt8(ascii: "-"), 0xFF, UInt8(ascii: "9")]
    for (number, byte) in bytes.enumerated() {
      let word = Word(bytes: [UInt8](repeating: byte, count: 1 << 20))
      let lines: [[Word]] = [
        [word], ["pay", word], ["pay", "1", "--to", word], ["help", word], ["--context", word, "status"],
      ]
      // In `make test` two lines for each byte: what a word consists of, and where it stands, are
      // looked at by different code.
      for line in Effort.isComplete ? lines : [lines[number], lines[number + 1]] {
        do {
          _ = try AuthTool.tool.parse(line)
          Issue.record("understood")
        } catch {
          #expect(error.message.utf8.count < 1000)
        }
      }
    }
  }
}
