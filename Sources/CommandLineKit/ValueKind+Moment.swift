import Glibc
import TextFormat

/// A moment as users type it: a duration ago, or a date and time.
package enum Moment: Hashable, Sendable {
  /// This long before now.
  case ago(Duration)
  /// Microseconds since 1970-01-01T00:00:00Z.
  case at(Int64)

  /// The moment in microseconds since 1970-01-01T00:00:00Z; `Int64.min` for an earlier one.
  ///
  /// - Parameter now: The present moment, in the same unit.
  /// - Returns: The moment.
  package func microseconds(now: Int64) -> Int64 {
    switch self {
    case .ago(let duration):
      let (passed, isTooLong) = duration.components.seconds.multipliedReportingOverflow(by: 1_000_000)
      let (moment, isTooEarly) = now.subtractingReportingOverflow(passed)
      return isTooLong || isTooEarly ? .min : moment
    case .at(let microseconds): return microseconds
    }
  }
}

extension ValueKind where Value == Moment {
  /// A duration before now (`8h`), or a time that ``TypedTime`` accepts.
  package static func moment(_ noun: String = "a moment") -> ValueKind {
    ValueKind(
      noun,
      accepted:
        "8h, 1d or 1w (ago), today, yesterday, a day such as 2026-01-31, or a time such as '2026-01-31 09:30' or "
        + "2026-01-31T09:30:00Z"
    ) { word in
      if let duration = ValueKind<Duration>.duration().convert(word) { return .ago(duration) }
      let now = UTCTime(seconds: Int64(time(nil)))
      return word.text.flatMap { TypedTime($0, now: now) }.map { .at($0.microseconds) }
    }
  }
}
