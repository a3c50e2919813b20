import Glibc

/// A moment of the wall clock, to the second.
///
/// UTC in ISO 8601 for programs, the local time for people.
package struct UTCTime: Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  package let seconds: Int64

  package init(seconds: Int64) {
    self.seconds = seconds
  }

  /// Reads `2026-01-31`, which is in UTC, `2026-01-31T09:30:00Z` or `2026-01-31T10:30:00+01:00`,
  /// and nothing else.
  package init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    let templates = ["0000-00-00", "0000-00-00T00:00:00Z", "0000-00-00T00:00:00+00:00", "0000-00-00T00:00:00-00:00"]
    guard templates.contains(where: { Self.fits(bytes, Array($0.utf8)) }) else { return nil }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let time = bytes.count >= 20 ? (number(11..<13), number(14..<16), number(17..<19)) : (0, 0, 0)
    let offset = bytes.count == 25 ? (number(20..<22), number(23..<25)) : (0, 0)
    guard (1...12).contains(month), (0...23).contains(time.0), (0...59).contains(time.1), (0...59).contains(time.2),
      (0...23).contains(offset.0), (0...59).contains(offset.1)
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year) - 1900, Int32(month) - 1, Int32(day))
    let midnight = timegm(&parts)
    // A day that the month does not have comes back as another date.
    guard parts.tm_mday == Int32(day), parts.tm_mon == Int32(month) - 1 else { return nil }
    let isEast = bytes.count == 25 && bytes[19] == UInt8(ascii: "+")
    seconds =
      Int64(midnight) + time.0 * 3600 + time.1 * 60 + time.2 + (isEast ? -1 : 1) * (offset.0 * 3600 + offset.1 * 60)
  }

  /// Whether the text has digits where the template has zeros, and is the same elsewhere.
  private static func fits(_ bytes: [UInt8], _ template: [UInt8]) -> Bool {
    bytes.count == template.count
      && zip(bytes, template).allSatisfy { byte, model in
        model == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == model
      }
  }

  /// `2026-01-31T09:30:00Z`, the form of RFC 3339.
  package var iso8601: String {
    var clock = time_t(seconds)
    var parts = tm()
    // The calendar of the system ends with the year 2,147,485,547.
    guard gmtime_r(&clock, &parts) != nil else { return "\(seconds) s" }
    let date = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
    return "\(date)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
  }

  /// A form of the local time.
  package enum LocalForm: String {
    /// `2026-01-31 10:30:00 CET`
    case withZone = "%Y-%m-%d %H:%M:%S %Z"
    /// `2026-01-31 10:30:00`, in a column of such.
    case seconds = "%Y-%m-%d %H:%M:%S"
    /// `2026-01-31 10:30`, in a column of such.
    case minutes = "%Y-%m-%d %H:%M"
    /// `CET`
    case zone = "%Z"
  }

  /// The local time with its zone, such as `2026-01-31 10:30:00 CET`.
  package var local: String { local(.withZone) }

  /// The local time.
  package func local(_ form: LocalForm) -> String {
    var clock = time_t(seconds)
    var parts = tm()
    guard localtime_r(&clock, &parts) != nil else { return iso8601 }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress, strftime(start, buffer.count, form.rawValue, &parts) > 0
      else { return iso8601 }
      // The zone's name comes from the environment.
      return TextEscaping.escape(String(cString: start))
    }
  }

  private func padded(_ number: Int32, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
