import AuthBackend
import AuthSQLite
import Testing

@testable import AuthProgram
@testable import CommandLineKit

@Suite("Kinds of value")
struct ValueKindTests {
  @Test(
    "an amount is 12, 12.5 or 12.50",
    arguments: [
      ("12", 1200), ("12.5", 1250), ("12.50", 1250), ("0.01", 1), ("0.5", 50), ("1", 100),
      ("999999999999.99", 99_999_999_999_999),
    ] as [(Word, Int64)])
  func amount(_ word: Word, _ minorUnits: Int64) {
    #expect(Kinds.amount.convert(word)?.minorUnits == minorUnits)
  }

  @Test(
    "and nothing else is an amount",
    arguments: [
      "", "0", "0.00", "0.0", "00", "012", "-5", "+5", "1e3", "1.005", "12.", ".5", ".", "1.2.3", "1,5", "1 000", " 1",
      "1 ", "١٢", "１２", "0x10", "NaN", "inf", "1_000", "12.5€", "1000000000000", "9999999999999999999", "1\n", "½",
    ] as [Word])
  func noAmount(_ word: Word) {
    #expect(Kinds.amount.convert(word) == nil)
  }

  @Test("no amount is made of bytes that are not UTF-8")
  func invalidAmount() {
    #expect(Kinds.amount.convert(Word(bytes: [0x31, 0xFF])) == nil)
    #expect(Kinds.amount.convert(Word(bytes: [UInt8](repeating: 0x31, count: 1 << 20))) == nil)
  }

  @Test("durations have a unit")
  func duration() {
    let kind = Kinds.duration
    #expect(kind.convert("90s") == .seconds(90))
    #expect(kind.convert("15m") == .seconds(900))
    #expect(kind.convert("8h") == .seconds(28_800))
    #expect(kind.convert("1d") == .seconds(86_400))
    #expect(kind.convert("1w") == .seconds(604_800))
    for word in ["", "s", "8", "0s", "-8h", "8H", "8 h", "1.5h", "8y", "8hh", "9999999999h", "٨h"] as [Word] {
      #expect(kind.convert(word) == nil, "\(word.quoted)")
    }
  }

  @Test("whole numbers stay in their range")
  func wholeNumber() {
    let kind = Kinds.pageLength
    #expect(kind.convert("1") == 1)
    #expect(kind.convert("1000") == 1000)
    for word in ["0", "1001", "", "-1", "+1", "1.0", "99999999999999999999", "1e2"] as [Word] {
      #expect(kind.convert(word) == nil, "\(word.quoted)")
    }
  }

  @Test("the number of a receipt is digits, and more than zero")
  func serialNumber() {
    for kind in [Kinds.receipt, Kinds.event] {
      #expect(kind.convert("1") == 1)
      #expect(kind.convert("999999999999999999") == 999_999_999_999_999_999)
      for word in ["", "0", "-5", "+5", "5.0", "x", "٥", "9999999999999999999"] as [Word] {
        #expect(kind.convert(word) == nil, "\(word.quoted)")
      }
    }
  }

  @Test("a context is never a path and never hidden")
  func identifier() {
    for word in ["work", "a", "A.b_c-9", "9", Word(String(repeating: "a", count: 64))] as [Word] {
      #expect(Kinds.context.convert(word) != nil, "\(word.quoted)")
    }
    let refused: [Word] = [
      "", ".", "..", ".hidden", "-x", "_x", "../x", "a/b", "a b", "ä", "a\u{0}", "a\n", "\u{1B}[31m", "*",
      Word(String(repeating: "a", count: 65)), Word(bytes: [0xFF]),
    ]
    for word in refused { #expect(Kinds.context.convert(word) == nil, "\(word.quoted)") }
  }

  @Test("a user name and an idempotency key are held against the rule that their messages state")
  func name() {
    #expect(Kinds.username.convert("Alice") == "Alice")
    #expect(Kinds.username.form.accepted == Username.rule)
    #expect(Kinds.username.convert(Word(String(repeating: "a", count: 64))) != nil)
    #expect(Kinds.idempotencyKey.form.accepted == IdempotencyKey.rule)
    #expect(Kinds.idempotencyKey.convert(Word(String(repeating: "~", count: 128))) != nil)
    for word in ["", "é", Word(String(repeating: "~", count: 129)), "a\tb"] as [Word] {
      #expect(Kinds.idempotencyKey.convert(word) == nil, "\(word.quoted)")
    }
    let refused: [Word] = [
      "", "Zoë", "a b", "-a", Word(String(repeating: "a", count: 65)), "\u{1B}[31m", "a\u{0}b", "a\nb", "\u{202E}ecila",
      "a\u{2028}b", Word(bytes: [0x61, 0xC3]),
      Word(String(repeating: "é", count: 33)), Word(bytes: [UInt8](repeating: 0x61, count: 1 << 20)),
    ]
    for word in refused { #expect(Kinds.username.convert(word) == nil, "\(word.quoted)") }
  }

  @Test("a moment is a duration back, a day, or a time with or without its zone")
  func moment() {
    let kind = ValueKind<Moment>.moment()
    #expect(kind.convert("8h") == .ago(.seconds(28_800)))
    #expect(kind.convert("1w") == .ago(.seconds(604_800)))
    let half = Int64(1_769_851_800_500_000)
    #expect(kind.convert("2026-01-31T09:30:00Z") == .at(half - 500_000))
    #expect(kind.convert("2026-01-31 09:30Z") == .at(half - 500_000))
    #expect(kind.convert("2026-01-31T09:30:00.5Z") == .at(half))
    #expect(kind.convert("2026-01-31T10:30:00.500000999+01:00") == .at(half))
    #expect(kind.convert("2026-01-31T04:00:00-05:30") == .at(half - 500_000))
    for word in [
      "2026-01-31T09:30:00+0100", "2026-01-31T09:30:00+24:00", "2026-01-31T09:30:00+01:60", "2026-02-30", "2026-13-01",
      "2026-01-31T24:00:00Z", "2026-01-31T09", "2026-01-31T09:30:00.", "2026-01-31T09:30:00.1234567890Z",
      "2026-01-31x09:30", "2026-01-31T09:30:00Zx", "tomorrow", "Today", "",
    ] as [Word] {
      #expect(kind.convert(word) == nil, "\(word.quoted)")
    }
  }

  @Test("a choice is one of its names, exactly")
  func choice() {
    let kind = ValueKind<Shell>.choice("a shell")
    #expect(kind.convert("zsh") == .zsh)
    #expect(kind.convert("Zsh") == nil)
    #expect(kind.convert("zs") == nil)
    #expect(kind.form.accepted == "bash, zsh or fish")
  }
}
