import Guards

/// Where the newest timeline of each cluster is kept, for the processes that come later.
package protocol TimelineRecord: Sendable {
  /// Where that is, for messages.
  var path: String { get }

  /// The newest timeline of a cluster; nil when none is known.
  func newest(of cluster: String) -> UInt32?

  /// Keeps a timeline, unless a newer one is kept.
  func keep(_ timeline: UInt32, of cluster: String)
}

/// The newest timeline of a cluster that was seen.
///
/// Each promotion of a standby begins a timeline with a higher number. An old primary that is
/// started again without fencing still has the lower one: it accepts connections, and shows what
/// was before the promotion. Source: PostgreSQL, "Continuous Archiving", Timelines.
final class NewestTimeline: Sendable {
  private let newest = Locked<[String: UInt32]>([:])
  let record: (any TimelineRecord)?

  init(record: (any TimelineRecord)?) {
    self.record = record
  }

  /// Remembers the timeline of a server, unless a newer one was seen.
  ///
  /// - Returns: Nil if it is remembered; otherwise the newer one.
  func newer(than timeline: UInt32, of cluster: String) -> UInt32? {
    let recorded = record?.newest(of: cluster) ?? 0
    let known = newest.withLock { newest in
      let known = max(recorded, newest[cluster, default: 0])
      newest[cluster] = max(known, timeline)
      return known
    }
    if timeline < known { return known }
    if timeline > recorded { record?.keep(timeline, of: cluster) }
    return nil
  }
}
