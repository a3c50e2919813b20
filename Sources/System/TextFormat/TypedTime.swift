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

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Reads one of these forms, and nothing else.
  ///
  /// - Parameters:
  ///   - text: The form.
  ///   - now: The present moment.
  ///   - isLater: Which of two moments a local time means that a clock shows twice, when it is set
  ///     back.
  package init?(_ text: String, now: UTCTime, isLater: Bool = false) {
    switch text {
    case "today": self.init(daysAgo: 0, now)
    case "yesterday": self.init(daysAgo: 1, now)
    case _: self.init(date: text, isLater: isLater)
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

  private init?(date text: String, isLater: Bool) {
    var rest = Array(text.utf8)[...]
    /// Takes numbers that are written like `form`, where 0 stands for any digit.
    func take(_ form: String) -> [Int64]? {
      let typed = rest.prefix(form.utf8.count)
      guard typed.map({ $0.isASCIIDigit ? Self.zero : $0 }).elementsEqual(form.utf8) else { return nil }
      rest = rest.dropFirst(typed.count)
      return typed.split { !$0.isASCIIDigit }.map(Self.number)
    }
    guard let date = take("0000-00-00") else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(date[0] - 1900), Int32(date[1] - 1), Int32(date[2]))
    parts.tm_isdst = -1
    var fraction: Int64 = 0
    var offset: Int64?
    if !rest.isEmpty {
      guard let time = take("T00:00") ?? take(" 00:00") else { return nil }
      let seconds = take(":00")
      if seconds != nil, rest.first == UInt8(ascii: ".") {
        let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
        guard (1...9).contains(digits.count) else { return nil }
        rest = rest.dropFirst(1 + digits.count)
        fraction = Self.number((digits + Array("000000".utf8)).prefix(6))
      }
      let second = seconds?[0] ?? 0
      guard time[0] < 24, time[1] < 60, second < 60 else { return nil }
      (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time[0]), Int32(time[1]), Int32(second))
      let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
      if let zone = take("+00:00") ?? take("-00:00") ?? take("Z").map({ _ in [0, 0] }) {
        guard zone[0] < 24, zone[1] < 60 else { return nil }
        offset = sign * (zone[0] * 3600 + zone[1] * 60)
      }
    }
    // The system turns an invalid day of the month into another date.
    var calendar = parts
    let utc = Int64(timegm(&calendar))
    guard rest.isEmpty, calendar.tm_mday == parts.tm_mday, calendar.tm_mon == parts.tm_mon else { return nil }
    microseconds = (offset.map { utc - $0 } ?? Self.local(parts, isLater: isLater)) * 1_000_000 + fraction
  }

  /// The moment at which a local clock shows this time.
  private static func local(_ parts: tm, isLater: Bool) -> Int64 {
    let moments = [1, 0].compactMap { (isSummer: Int32) -> Int64? in
      var read = parts
      read.tm_isdst = isSummer
      let moment = Int64(mktime(&read))
      // The system moves a time that no clock shows.
      return read.tm_isdst == isSummer && read.tm_hour == parts.tm_hour && read.tm_min == parts.tm_min ? moment : nil
    }
    var parts = parts
    return (isLater ? moments.max() : moments.min()) ?? Int64(mktime(&parts))
  }

  private static let zero = UInt8(ascii: "0")

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64 {
    digits.reduce(0) { $0 * 10 + Int64($1 - zero) }
  }
}
