import Guards

/// Counts what sessions are refused, so that refusals do not fill the disk.
///
/// Of one session at most 16 refusals a minute leave an event, and the next event says how many
/// more there were.
final class Refusals: Sendable {
  private struct Count: Sendable {
    var since: ContinuousClock.Instant
    var events = 0
    var more = 0
  }

  private let counts = Locked<[[UInt8]: Count]>([:])
  private static let (period, longest) = (Duration.seconds(60), 10_000)

  /// Counts a refusal.
  ///
  /// - Parameter session: The session, by the hash of its token.
  /// - Returns: What the event says of refusals without an event before; nil for no event.
  func count(_ session: [UInt8]) -> String? {
    let now = ContinuousClock.now
    return counts.withLock { counts in
      if counts.count >= Self.longest { counts = [:] }
      var count = counts[session] ?? Count(since: now)
      defer { counts[session] = count }
      if now - count.since >= Self.period { (count.since, count.events) = (now, 0) }
      guard count.events < SessionPolicy.notedUsesAfterEnd else {
        count.more += 1
        return nil
      }
      count.events += 1
      defer { count.more = 0 }
      return count.more > 0 ? " (and \(count.more) more since the last event)" : ""
    }
  }
}
