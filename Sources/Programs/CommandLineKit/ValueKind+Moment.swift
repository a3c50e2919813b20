import Glibc
package import TextFormat

extension ValueKind where Value == TypedTime {
  /// A duration before now (`8h`), or a time that ``TypedTime`` accepts.
  ///
  /// `isLater` is which of two moments a local time means that a clock shows twice; `now` returns
  /// the present moment in seconds since 1970.
  package static func moment(
    _ noun: String = "a moment", isLater: Bool = false, now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) -> ValueKind<TypedTime> {
    ValueKind(
      noun,
      accepted:
        "8h, 1d or 1w (ago), today, yesterday, a day such as 2026-01-31, or a time such as '2026-01-31 09:30' or "
        + "2026-01-31T09:30:00Z",
      examples: [
        ("8h", "eight hours ago"), ("1d", "a day ago"), ("1w", "a week ago"), ("today", "the start of today"),
        ("yesterday", "the start of yesterday"),
      ]
    ) { word in
      let now = now()
      if let duration = ValueKind<Duration>.duration().convert(word) {
        let (moment, isTooEarly) = (now - duration.components.seconds).multipliedReportingOverflow(by: 1_000_000)
        return TypedTime(microseconds: isTooEarly ? .min : moment)
      }
      return word.text.flatMap { TypedTime($0, now: UTCTime(seconds: now), isLater: isLater) }
    }
  }
}
