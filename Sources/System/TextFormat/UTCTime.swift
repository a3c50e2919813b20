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

  package init(seconds: Int64) { self.seconds = seconds }

  /// The current moment, by the system's clock.
  package static var now: UTCTime { UTCTime(seconds: Int64(time(nil))) }

  /// Reads a date of HTTP, such as `Sat, 31 Jan 2026 09:30:00 GMT` (RFC 9110, section 5.6.7); nil
  /// for other text.
  package init?(http text: String) {
    let form = /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard let parts = text.wholeMatch(of: form)?.output, let month = months.firstIndex(of: String(parts.2)) else {
      return nil
    }
    let numbers = [parts.1, parts.3, parts.4, parts.5, parts.6].compactMap { Int32($0) }
    guard numbers.count == 5 else { return nil }
    var calendar = tm()
    (calendar.tm_mday, calendar.tm_mon, calendar.tm_year) = (numbers[0], Int32(month), numbers[1] - 1900)
    (calendar.tm_hour, calendar.tm_min, calendar.tm_sec) = (numbers[2], numbers[3], numbers[4])
    seconds = Int64(timegm(&calendar))
  }

  /// `2026-01-31T09:30:00Z`, the form of RFC 3339.
  ///
  /// The system's calendar ends with the year 2,147,485,547.
  package var iso8601: String { text("%Y-%m-%dT%H:%M:%SZ", gmtime_r) ?? "\(seconds) s" }

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
    if isZoneUnusable { return text(form.rawValue.replacing("%Z", with: "UTC"), gmtime_r) ?? iso8601 }
    // Escaped, because the zone's name comes from the environment.
    return text(form.rawValue, localtime_r).map(TextEscaping.escape) ?? iso8601
  }

  /// Whether `TZ` names no zone that the system has, such as `CEST`.
  ///
  /// The system then shows UTC under the first letters of the name. Source: tzset(3).
  private var isZoneUnusable: Bool {
    guard let value = getenv("TZ") else { return false }
    // A zone without a name is a file that describes none.
    guard let shown = text(LocalForm.zone.rawValue, localtime_r) else { return true }
    let name = String(cString: value).drop { $0 == ":" }
    guard name.hasPrefix(shown) else { return false }
    // A rule has an offset after its name: `CET-1CEST`, `UTC0`.
    if let next = name.dropFirst(shown.count).first, "+-0123456789".contains(next) { return false }
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    return access(name.hasPrefix("/") ? String(name) : "\(folder)/\(name)", R_OK) != 0
  }

  private func text(
    _ form: String, _ calendar: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
  ) -> String? {
    var clock = time_t(seconds)
    var parts = tm()
    guard calendar(&clock, &parts) != nil else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress, strftime(start, buffer.count, form, &parts) > 0 else { return nil }
      return String(cString: start)
    }
  }
}
