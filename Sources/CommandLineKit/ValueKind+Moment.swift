/// A moment as a person names it: so long ago, or a date and time.
package enum Moment: Hashable, Sendable {
  /// This long before now.
  case ago(Duration)
  /// Seconds since 1970-01-01T00:00:00Z.
  case at(Int64)
}

extension ValueKind where Value == Moment {
  /// A duration back from now (`8h`), a day (`2026-01-31`) or a time in UTC (`2026-01-31T09:30:00Z`).
  package static func moment(_ noun: String = "a moment") -> ValueKind {
    ValueKind(
      noun,
      accepted:
        "a duration back from now such as 8h, a day such as 2026-01-31, or a time in UTC such as 2026-01-31T09:30:00Z"
    ) { word in
      if let duration = ValueKind<Duration>.duration().convert(word) { return .ago(duration) }
      return word.text.flatMap(UTCTime.init(iso8601:)).map { .at($0.seconds) }
    }
  }
}
