package import TextFormat

/// The local times of a table, which carry their zone: below the title where all have the same,
/// else each.
///
/// One zone has two names in a year with daylight saving time.
package struct LocalTimes {
  /// The zone that all have; nil where they differ.
  package let zone: String?

  /// Looks at all moments that the table will show, in seconds since 1970.
  package init(_ seconds: [Int64]) {
    let zones = Set(seconds.map { UTCTime(seconds: $0).local(.zone) })
    zone = zones.count == 1 ? zones.first : nil
  }

  /// A column of these times.
  package func column(_ title: String) -> Table.Column { Table.Column(title: title, unit: zone) }

  /// A cell of such a column.
  package func cell(_ seconds: Int64, _ form: UTCTime.LocalForm) -> String {
    let time = UTCTime(seconds: seconds)
    return zone == nil ? "\(time.local(form)) \(time.local(.zone))" : time.local(form)
  }
}
