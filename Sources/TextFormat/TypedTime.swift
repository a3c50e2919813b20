#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A moment as users type it, to the microsecond.
///
/// `today`, `yesterday`, `2026-01-31`, `2026-01-31 09:30` and `2026-01-31T09:30:00.5` are in the
/// display time zone; `2026-01-31T09:30:00Z` and `2026-01-31T10:30:00+01:00` include their zone.
package struct TypedTime: Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  package let microseconds: Int64

  /// Reads one of these forms, and nothing else.
  package init?(_ text: String, now: UTCTime) {
    switch text {
    case "today": self.init(daysAgo: 0, now)
    case "yesterday": self.init(daysAgo: 1, now)
    case _: self.init(date: text)
    }
  }

  private init?(daysAgo: Int32, _ now: UTCTime) {
    var clock = time_t(now.seconds)
    var parts = tm()
    guard localtime_r(&clock, &parts) != nil else { return nil }
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
    parts.tm_mday -= daysAgo
    microseconds = Int64(mktime(&parts)) * 1_000_000
  }

  private init?(date text: String) {
    var rest = Array(text.utf8)[...]
    /// Takes this number of digits.
    func number(_ digits: Int) -> Int32? {
      guard rest.count >= digits, rest.prefix(digits).allSatisfy(Self.isDigit) else { return nil }
      defer { rest = rest.dropFirst(digits) }
      return rest.prefix(digits).reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
    }
    /// Takes one of these characters.
    func take(_ characters: String) -> UInt8? {
      guard let first = rest.first, characters.utf8.contains(first) else { return nil }
      rest = rest.dropFirst()
      return first
    }
    guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2) else {
      return nil
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_isdst) = (year - 1900, month - 1, day, -1)
    var fraction: Int64 = 0
    var offset: Int32?
    if !rest.isEmpty {
      guard take("T ") != nil, let hour = number(2), take(":") != nil, let minute = number(2) else { return nil }
      var second: Int32 = 0
      if take(":") != nil {
        guard let typed = number(2) else { return nil }
        second = typed
        if take(".") != nil {
          let digits = rest.prefix(while: Self.isDigit)
          guard (1...9).contains(digits.count) else { return nil }
          rest = rest.dropFirst(digits.count)
          for place in 0..<6 {
            let digit = place < digits.count ? digits[digits.startIndex + place] - UInt8(ascii: "0") : 0
            fraction = fraction * 10 + Int64(digit)
          }
        }
      }
      guard hour < 24, minute < 60, second < 60 else { return nil }
      (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
      if let zone = take("Z+-") {
        offset = 0
        if zone != UInt8(ascii: "Z") {
          guard let hours = number(2), take(":") != nil, let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
          }
          offset = (zone == UInt8(ascii: "+") ? 1 : -1) * (hours * 3600 + minutes * 60)
        }
      }
    }
    guard rest.isEmpty else { return nil }
    // The system turns an invalid day of the month into another date.
    var calendar = tm()
    (calendar.tm_year, calendar.tm_mon, calendar.tm_mday) = (year - 1900, month - 1, day)
    _ = timegm(&calendar)
    guard calendar.tm_mday == day, calendar.tm_mon == month - 1 else { return nil }
    let seconds = offset.map { Int64(timegm(&parts)) - Int64($0) } ?? Int64(mktime(&parts))
    microseconds = seconds * 1_000_000 + fraction
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
