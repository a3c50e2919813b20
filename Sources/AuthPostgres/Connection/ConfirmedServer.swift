package import AuthBackend
import AuthCore
import AuthDevice
import Glibc
import Guards
import TextFormat

/// Which server confirmed the last change, in a file: its cluster, its timeline, and how long its
/// log was.
///
/// Each promotion of a standby begins a timeline with a higher number. An old primary that is
/// started again without fencing still has the lower one: it accepts connections, and shows what
/// was before the promotion. A standby that was promoted separately can have the same number, but
/// lacks the last change. A promotion that is taken back may have been seen, but with synchronous
/// replication it confirmed nothing, so it must not refuse the server that goes on.
/// Source: PostgreSQL, "Continuous Archiving", Timelines.
package final class ConfirmedServer: Sendable {
  /// The cluster of a server, and its timeline, which tells an older server from a newer one.
  struct Identity: Hashable {
    let system: String
    let timeline: UInt32
  }

  /// A change, by where it is in the log of its server.
  struct Change: Hashable {
    /// How many bytes the log had before the commit.
    let log: Int64
    let transaction: Int64

    /// The last change of a transaction that is about to commit.
    static let query =
      "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint, pg_current_xact_id_if_assigned()::text::bigint"
  }

  /// The content of the file.
  struct Known: Hashable {
    let server: Identity
    /// Nil in a file of an earlier release.
    var change: Change?
  }

  static let name = "confirmed-server"
  private let directory: PrivateDirectory
  private let writing = Locked(())

  /// Names the file in a directory that exists, such as systemd's StateDirectory.
  package init(directory: String) {
    self.directory = PrivateDirectory(named: directory)
  }

  /// The path of the file that records the server.
  package var path: String { directory.file(Self.name) }

  /// Forgets the server, so that the next one that confirms a change is the right one.
  ///
  /// A service that runs notices it.
  ///
  /// - Returns: Whether one was known.
  /// - Throws: ``BackendError`` of kind `unavailable` (`file_error`) when the file stays.
  package func forget() throws(BackendError) -> Bool {
    if unlink(path) == 0 { return true }
    if errno == ENOENT { return false }
    throw BackendError(
      FileError(
        .system, "\(path.escaped) cannot be removed: \(ErrorNumber.current.explanation).",
        hint: "Run this as the user of the service."))
  }

  /// The server that is on file; nil when there is none, or the file cannot be read.
  func known() -> Known? { writing.withLock { _ in withFile { Known(file: $0) } } }

  private func withFile<Result>(_ body: (Int32) -> Result?) -> Result? {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return body(descriptor)
  }

  /// Writes down that a server confirmed a change.
  ///
  /// A change on a known timeline replaces the content in place and need not reach the disk at
  /// once: the file survives the death of the service, and after a power cut an older change is on
  /// file. It is a second line of defence behind the fencing of old primaries, so a disk that is
  /// full fails no payment; the next change tries again.
  func note(_ change: Change, at server: Identity) {
    let line = Array("\(server.system) \(server.timeline) \(change.log) \(change.transaction)\n".utf8)
    writing.withLock { _ in
      let isOnFile = withFile { file -> Bool? in
        guard let known = Known(file: file), known.server.system == server.system else { return false }
        guard known.server.timeline == server.timeline else { return known.server.timeline > server.timeline }
        if let last = known.change, last.log >= change.log { return true }
        return pwrite(file, line, line.count, 0) == line.count
      }
      if isOnFile != true {
        _ = try? OpenDirectory(at: directory.path, followingLinks: true)?.replace(Self.name, with: line)
      }
    }
  }

  /// Throws if the server of a new connection must not be used.
  func verify(_ connection: ServerConnection, until deadline: ContinuousClock.Instant) throws(ServerFault) {
    // First what is known: the server may confirm another change meanwhile.
    let known = known()
    guard let answer = try Answer(of: connection, lastChange: known?.change, until: deadline) else { return }
    connection.server = answer.server
    guard let known else { return }
    let timeline = answer.server.timeline
    let fault: String
    if answer.server.system != known.server.system {
      fault =
        "another cluster (\(answer.server.system)) than the one that confirmed changes (\(known.server.system))"
    } else if timeline < known.server.timeline {
      fault = "an old primary of timeline \(timeline), and timeline \(known.server.timeline) has confirmed changes"
    } else if timeline == known.server.timeline, !answer.hasLastChange {
      fault = "another primary of timeline \(timeline), which lacks the last confirmed change"
    } else {
      return
    }
    throw .notConnected("\(connection.place) is \(fault), as \(path.escaped) records", .serverOutdated)
  }
}

extension ConfirmedServer.Known {
  /// Reads the first line of a file.
  ///
  /// A shorter line that was written in place leaves the end of a longer one behind it.
  fileprivate init?(file: Int32) {
    var content = [UInt8](repeating: 0, count: 128)
    let count = pread(file, &content, content.count, 0)
    let line = content.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count >= 2, let timeline = UInt32(words[1]) else { return nil }
    server = ConfirmedServer.Identity(system: String(words[0]), timeline: timeline)
    guard words.count == 4, let log = Int64(words[2]), let transaction = Int64(words[3]) else { return }
    change = ConfirmedServer.Change(log: log, transaction: transaction)
  }
}

/// The identity that a server reports.
private struct Answer {
  let server: ConfirmedServer.Identity
  /// Whether its log is as long as at the last confirmed change, and has that change.
  let hasLastChange: Bool

  /// Asks a server; nil for one that does not say, such as a standby, which accepts no changes
  /// either.
  init?(
    of connection: ServerConnection, lastChange: ConfirmedServer.Change?, until deadline: ContinuousClock.Instant
  ) throws(ServerFault) {
    let (log, transaction) = (lastChange?.log ?? 0, "'\(lastChange?.transaction ?? 3)'::xid8")
    let rows: [[String?]]
    do throws(ServerFault) {
      rows = try connection.run(
        """
        SELECT pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), system_identifier,
          pg_catalog.pg_current_wal_insert_lsn() - '0/0' >= \(log)
          AND CASE WHEN \(transaction) < pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())
            THEN pg_catalog.pg_xact_status(\(transaction)) IS DISTINCT FROM 'aborted' ELSE false END
        FROM pg_catalog.pg_control_system()
        """, until: deadline)
    } catch {
      if case .refused = error { return nil }
      throw error
    }
    guard let row = rows.first, let timeline = row[0].flatMap({ UInt32($0.prefix(8), radix: 16) }), let system = row[1]
    else { return nil }
    server = ConfirmedServer.Identity(system: system, timeline: timeline)
    hasLastChange = row[2] == "t"
  }
}
