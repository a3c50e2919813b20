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

/// The newest timeline of a cluster that confirmed a change.
///
/// A promotion that is taken back at once may have been seen, but with synchronous replication it
/// confirmed nothing, so it must not refuse the server that goes on.
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

  /// The newer timeline that confirmed a change, if there is one.
  func newer(than timeline: UInt32, of cluster: String) -> UInt32? {
    let known = newest(of: cluster)
    return timeline < known ? known : nil
  }

  /// Remembers that a server of this timeline confirmed a change.
  func note(_ timeline: UInt32, of cluster: String) {
    guard timeline > newest(of: cluster) else { return }
    if let record { record.keep(timeline, of: cluster) } else { newest.withLock { $0[cluster] = timeline } }
  }

  /// With a record, that alone counts, so whoever deletes it is not refused by a program that runs.
  private func newest(of cluster: String) -> UInt32 {
    if let record { record.newest(of: cluster) ?? 0 } else { newest.withLock { $0[cluster, default: 0] } }
  }
}
