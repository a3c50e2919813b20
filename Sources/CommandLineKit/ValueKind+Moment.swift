import TextFormat

/// A moment as a person names it: so long ago, or a date and time.
package enum Moment: Hashable, Sendable {
  /// This long before now.
  case ago(Duration)
  /// Seconds since 1970-01-01T00:00:00Z.
  case at(Int64)
}

extension ValueKind where Value == Moment {
  /// A duration back from now (`8h`), a day in UTC (`2026-01-31`) or a time with its zone
  /// (`2026-01-31T09:30:00Z`, `2026-01-31T10:30:00+01:00`).
  package static func moment(_ noun: String = "a moment") -> ValueKind {
    ValueKind(
      noun,
      accepted:
        "a duration back from now such as 8h, 1d or 1w, a day in UTC such as 2026-01-31, or a time with its zone such as "
        + "2026-01-31T09:30:00Z or 2026-01-31T10:30:00+01:00"
    ) { word in
      if let duration = ValueKind<Duration>.duration().convert(word) { return .ago(duration) }
      return word.text.flatMap(UTCTime.init(iso8601:)).map { .at($0.seconds) }
    }
  }
}
