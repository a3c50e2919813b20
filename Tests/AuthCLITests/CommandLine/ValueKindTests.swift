import AuthBackend
import AuthSQLite
import Testing

@testable import AuthProgram
@testable import CommandLineKit

@Suite("Kinds of value")
struct ValueKindTests {
  private func expect<Value: Equatable>(
    _ kind: ValueKind<Value>, takes values: KeyValuePairs<Word, Value> = [:], refuses words: [Word],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (word, value) in values {
      #expect(kind.convert(word) == value, "\(word.quoted)", sourceLocation: sourceLocation)
    }
    for word in words { #expect(kind.convert(word) == nil, "\(word.quoted)", sourceLocation: sourceLocation) }
  }

  /// Too long for any value.
  private static let mebibyte = Word(bytes: [UInt8](repeating: 0x31, count: 1 << 20))

  @Test("an amount is 12, 12.5 or 12.50, and nothing else, nor bytes that are not UTF-8")
  func amount() throws {
    let amounts: KeyValuePairs<Word, Int64> = [
      "12": 1200, "12.5": 1250, "12.50": 1250, "0.01": 1, "0.5": 50, "1": 100, "999999999999.99": 99_999_999_999_999,
    ]
    for (word, minorUnits) in amounts { #expect(Kinds.amount.convert(word)?.minorUnits == minorUnits) }
    expect(
      Kinds.amount,
      refuses: [
        "", "0", "0.00", "0.0", "00", "012", "-5", "+5", "1e3", "1.005", "12.", ".5", ".", "1.2.3", "1,5", "1 000",
        " 1", "1 ", "١٢", "１２", "0x10", "NaN", "inf", "1_000", "12.5€", "1000000000000", "9999999999999999999", "1\n",
        "½", Word(bytes: [0x31, 0xFF]), Self.mebibyte,
      ])
  }

  @Test("durations have a unit")
  func duration() {
    expect(
      Kinds.duration,
      takes: [
        "90s": .seconds(90), "15m": .seconds(900), "8h": .seconds(28_800), "1d": .seconds(86_400),
        "1w": .seconds(604_800),
      ],
      refuses: ["", "s", "8", "0s", "-8h", "8H", "8 h", "1.5h", "8y", "8hh", "9999999999h", "٨h"])
  }

  @Test("whole numbers stay in their range; that of a receipt is digits, and more than zero")
  func wholeNumber() {
    expect(
      Kinds.pageLength, takes: ["1": 1, "1000": 1000],
      refuses: ["0", "1001", "", "-1", "+1", "1.0", "99999999999999999999", "1e2"])
    for kind in [Kinds.receipt, Kinds.event] {
      expect(
        kind, takes: ["1": 1, "999999999999999999": 999_999_999_999_999_999],
        refuses: ["", "0", "-5", "+5", "5.0", "x", "٥", "9999999999999999999"])
    }
  }

  @Test("a context is never a path and never hidden")
  func identifier() {
    for word in ["work", "a", "A.b_c-9", "9", Word(String(repeating: "a", count: 64))] as [Word] {
      #expect(Kinds.context.convert(word) != nil, "\(word.quoted)")
    }
    expect(
      Kinds.context,
      refuses: [
        "", ".", "..", ".hidden", "-x", "_x", "../x", "a/b", "a b", "ä", "a\u{0}", "a\n", "\u{1B}[31m", "*",
        Word(String(repeating: "a", count: 65)), Word(bytes: [0xFF]),
      ])
  }

  @Test("a user name and an idempotency key are held against the rule that their messages state")
  func name() {
    #expect(Kinds.username.form.accepted == Username.rule)
    #expect(Kinds.idempotencyKey.form.accepted == IdempotencyKey.rule)
    #expect(Kinds.username.convert(Word(String(repeating: "a", count: 64))) != nil)
    #expect(Kinds.idempotencyKey.convert(Word(String(repeating: "~", count: 128))) != nil)
    expect(Kinds.idempotencyKey, refuses: ["", "é", Word(String(repeating: "~", count: 129)), "a\tb"])
    expect(
      Kinds.username, takes: ["Alice": "Alice"],
      refuses: [
        "", "Zoë", "a b", "-a", Word(String(repeating: "a", count: 65)), "\u{1B}[31m", "a\u{0}b", "a\nb",
        "\u{202E}ecila", "a\u{2028}b", Word(bytes: [0x61, 0xC3]), Word(String(repeating: "é", count: 33)),
        Self.mebibyte,
      ])
  }

  @Test("a moment is a duration back, a day, or a time with or without its zone")
  func moment() {
    let half = Int64(1_769_851_800_500_000)
    expect(
      ValueKind<Moment>.moment(),
      takes: [
        "8h": .ago(.seconds(28_800)), "1w": .ago(.seconds(604_800)), "2026-01-31T09:30:00Z": .at(half - 500_000),
        "2026-01-31 09:30Z": .at(half - 500_000), "2026-01-31T09:30:00.5Z": .at(half),
        "2026-01-31T10:30:00.500000999+01:00": .at(half), "2026-01-31T04:00:00-05:30": .at(half - 500_000),
      ],
      refuses: [
        "2026-01-31T09:30:00+0100", "2026-01-31T09:30:00+24:00", "2026-01-31T09:30:00+01:60", "2026-02-30",
        "2026-13-01", "2026-01-31T24:00:00Z", "2026-01-31T09", "2026-01-31T09:30:00.",
        "2026-01-31T09:30:00.1234567890Z", "2026-01-31x09:30", "2026-01-31T09:30:00Zx", "tomorrow", "Today", "",
      ])
  }

  @Test("a choice is one of its names, exactly")
  func choice() {
    let kind = ValueKind<Shell>.choice("a shell")
    expect(kind, takes: ["zsh": .zsh], refuses: ["Zsh", "zs"])
    #expect(kind.form.accepted == "bash, zsh or fish")
  }
}
