import Programs
import Testing
import TextFormat

@Suite("Times", .timeLimit(.minutes(10)))
struct UTCTimeTests {
  @Test(
    "UTC in ISO 8601",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_827_696, "2000-02-29T12:34:56Z"),
      (1_769_851_800, "2026-01-31T09:30:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
    ] as [(Int64, String)])
  func iso8601(_ seconds: Int64, _ text: String) {
    #expect(UTCTime(seconds: seconds).iso8601 == text)
    if seconds >= 0 { #expect(TypedTime(text, now: UTCTime(seconds: 0))?.microseconds == seconds * 1_000_000) }
  }

  @Test("every day of four centuries, in make test every eleventh, survives a round trip")
  func roundTrip() {
    for day in stride(from: Int64(-60_000), through: 86_097, by: Effort.isComplete ? 1 : 11) {
      let time = UTCTime(seconds: day * 86_400 + 3661)
      let back = TypedTime(time.iso8601, now: time)?.microseconds
      if back != time.seconds * 1_000_000 { Issue.record("\(time.iso8601) comes back as another day") }
    }
  }

  @Test("a day and a time without a zone are in the display time zone")
  func localTimes() throws {
    let noon = UTCTime(seconds: 1_769_860_800)
    for form in [UTCTime.LocalForm.seconds, .minutes] {
      let typed = try #require(TypedTime(noon.local(form), now: noon))
      #expect(UTCTime(seconds: typed.microseconds / 1_000_000).local(form) == noon.local(form))
    }
    let day = String(noon.local(.minutes).prefix(10))
    let midnight = try #require(TypedTime(day, now: noon))
    #expect(UTCTime(seconds: midnight.microseconds / 1_000_000).local(.seconds) == "\(day) 00:00:00")
    #expect(TypedTime("today", now: noon) == midnight)
    let yesterday = try #require(TypedTime("yesterday", now: noon))
    #expect(UTCTime(seconds: yesterday.microseconds / 1_000_000).local(.seconds).hasSuffix(" 00:00:00"))
    #expect((20...30).contains((midnight.microseconds - yesterday.microseconds) / 3_600_000_000))
  }

  @Test("the limits of the number range do not trap", arguments: [Int64.min, .max])
  func extremes(_ seconds: Int64) {
    #expect(UTCTime(seconds: seconds).iso8601 == "\(seconds) s")
    #expect(!UTCTime(seconds: seconds).local.isEmpty)
  }

  @Test("people see the local time and its zone")
  func local() {
    let text = UTCTime(seconds: 1_769_851_800).local
    #expect(text.hasPrefix("2026-01-31 ") || text.hasPrefix("2026-02-01 ") || text.hasPrefix("2026-01-30 "))
  }
}
