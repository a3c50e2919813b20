import Guards

/// The newest timeline of a cluster that was seen.
///
/// Each promotion of a standby begins a timeline with a higher number. An old primary that is
/// started again without fencing still has the lower one: it accepts connections, and shows what
/// was before the promotion. Source: PostgreSQL, "Continuous Archiving", Timelines.
final class NewestTimeline: Sendable {
  private let newest = Locked<UInt32>(0)

  /// Remembers the timeline of a server, unless a newer one was seen.
  ///
  /// - Returns: Nil if it is remembered; otherwise the newer one.
  func newer(than timeline: UInt32) -> UInt32? {
    newest.withLock { newest in
      if timeline < newest { return newest }
      newest = timeline
      return nil
    }
  }
}
