import Glibc
// Swift 6.3 takes the fields of `timespec` for its, depending on the order of the files.
import SwiftOverlayShims
import TextFormat

/// A moment on the wall clock, for people to read.
///
/// No decision about a session depends on it.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  public let microseconds: Int64

  /// Creates a moment from microseconds since 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The current time of the wall clock.
  package static func now() -> WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  public var seconds: Int64 { Int64((Double(microseconds) / 1_000_000).rounded(.down)) }

  /// Whether `left` is the earlier moment.
  public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

  /// The moment that is so much later, held within 64 bits.
  package static func + (time: WallTime, span: Duration) -> WallTime {
    WallTime(microseconds: time.microseconds.clampedSum(span.wholeNanoseconds / 1000))
  }

  /// The moment in UTC, in the form of ISO 8601 and RFC 3339: `2026-11-21T07:48:53Z`.
  public var iso8601: String { UTCTime(seconds: seconds).iso8601 }
}

extension Duration {
  /// Seconds, rounded up.
  package var wholeSeconds: Int64 {
    components.seconds + (components.attoseconds > 0 && components.seconds < .max ? 1 : 0)
  }

  /// Whole nanoseconds, held within what 64 bits can say (292 years).
  package var wholeNanoseconds: Int64 {
    // The components of a longer duration may not have room in 64 bits either.
    if self >= .nanoseconds(Int64.max) { return .max }
    if self <= .nanoseconds(Int64.min) { return .min }
    return components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}

extension Int64 {
  /// The sum, held within 64 bits.
  package func clampedSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

/// A part of the wall clock's time: from one moment on, and before another.
///
/// Where the wall clock was set back, what was written after that counts as no earlier than what
/// was written before, for events.
package struct TimeSpan: Hashable, Sendable {
  /// The first moment in it; nil without a beginning.
  package let since: WallTime?
  /// The first moment after it; nil without an end.
  package let until: WallTime?

  /// Creates a span between two moments.
  package init(since: WallTime? = nil, until: WallTime? = nil) {
    self.since = since
    self.until = until
  }

  /// The span without a beginning and an end.
  package static let all = TimeSpan()
}
