import AuthAccounts
import AuthDevice
import Testing
import TextFormat

@testable import AuthCLIProgram
@testable import CommandLineKit

@Suite("Kinds of value", .timeLimit(.minutes(10)))
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

  @Test("an amount, a user name, a key and a context are what their types accept, in UTF-8")
  func domain() throws {
    expect(Kinds.amount, takes: ["12.5": try Amount("12.50")], refuses: ["", "0", "012", "1.005", "1,5", "١٢"])
    expect(Kinds.username, takes: ["Alice": "Alice"], refuses: ["", "Zoë", "a b", "-a", "a\u{0}b"])
    expect(Kinds.idempotencyKey, takes: ["rent": try IdempotencyKey("rent")], refuses: ["", "é", "a\tb"])
    expect(Kinds.context, takes: ["A.b_c-9": try #require(ContextName("A.b_c-9"))], refuses: ["", "..", "../x", "a\n"])
    for word in [Word(bytes: [0x31, 0xFF]), Word(bytes: [UInt8](repeating: 0x31, count: 1 << 20))] {
      expect(Kinds.amount, refuses: [word])
      expect(Kinds.username, refuses: [word])
      expect(Kinds.idempotencyKey, refuses: [word])
      expect(Kinds.context, refuses: [word])
    }
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

  @Test("a moment is a duration back, a day, or a time with or without its zone")
  func moment() {
    let half = Int64(1_769_851_800_500_000)
    func at(_ microseconds: Int64) -> TypedTime { TypedTime(microseconds: microseconds) }
    expect(
      ValueKind<TypedTime>.moment(now: { 1_769_851_800 }),
      takes: [
        "8h": at(half - 28_800_500_000), "1w": at(half - 604_800_500_000), "999999999w": at(.min),
        "2026-01-31T09:30:00Z": at(half - 500_000),
        "2026-01-31 09:30Z": at(half - 500_000), "2026-01-31T09:30:00.5Z": at(half),
        "2026-01-31T10:30:00.500000999+01:00": at(half), "2026-01-31T04:00:00-05:30": at(half - 500_000),
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
