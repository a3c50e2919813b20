#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A moment of the wall clock, to the second.
///
/// Programs get UTC in ISO 8601, people get the local time.
package struct UTCTime: Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  package let seconds: Int64

  package init(seconds: Int64) {
    self.seconds = seconds
  }

  /// `2026-01-31T09:30:00Z`, the form of RFC 3339.
  package var iso8601: String {
    var clock = time_t(seconds)
    var parts = tm()
    // The system's calendar ends with the year 2,147,485,547.
    guard gmtime_r(&clock, &parts) != nil else { return "\(seconds) s" }
    let date = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
    return "\(date)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
  }

  /// A format of the local time.
  package enum LocalForm: String {
    /// `2026-01-31 10:30:00 CET`
    case withZone = "%Y-%m-%d %H:%M:%S %Z"
    /// `2026-01-31 10:30:00`, for a column of times.
    case seconds = "%Y-%m-%d %H:%M:%S"
    /// `2026-01-31 10:30`, for a column of times.
    case minutes = "%Y-%m-%d %H:%M"
    /// `CET`
    case zone = "%Z"
  }

  /// The local time with its zone, such as `2026-01-31 10:30:00 CET`.
  package var local: String { local(.withZone) }

  package func local(_ form: LocalForm) -> String {
    var clock = time_t(seconds)
    var parts = tm()
    guard localtime_r(&clock, &parts) != nil else { return iso8601 }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress, strftime(start, buffer.count, form.rawValue, &parts) > 0
      else { return iso8601 }
      // Escaped, because the zone's name comes from the environment.
      return TextEscaping.escape(String(cString: start))
    }
  }

  private func padded(_ number: Int32, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
