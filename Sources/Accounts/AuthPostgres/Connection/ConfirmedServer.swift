package import AuthAccounts
import AuthCore
import AuthDevice
import ConcurrencyKit
import Glibc
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
    let change: Change
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
  func known() -> Known? { writing.withLock { _ in withFile { Known.newest(in: $0)?.known } } }

  private func withFile<Result>(_ body: (Int32) -> Result?) -> Result? {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return body(descriptor)
  }

  /// Writes down that a server confirmed a change.
  ///
  /// A change on a known timeline is written over the older of two sectors, and need not reach the
  /// disk at once: the file survives the death of the service, and after a power cut, which damages
  /// at most that sector, an older change is on file. It is a second line of defence behind the
  /// fencing of old primaries, so a disk that is full fails no payment; the next change tries
  /// again.
  func note(_ change: Change, at server: Identity) {
    let known = Known(server: server, change: change)
    writing.withLock { _ in
      let isOnFile = withFile { file -> Bool? in
        guard let (last, sector) = Known.newest(in: file), last.server.system == server.system else { return false }
        guard last.server.timeline == server.timeline else { return last.server.timeline > server.timeline }
        if last.change.log >= change.log { return true }
        return pwrite(file, known.sector, Known.size, off_t((1 - sector) * Known.size)) == Known.size
      }
      if isOnFile != true { try? replace(with: known) }
    }
  }

  /// Replaces the file, durably.
  func replace(with known: Known) throws(FileError) {
    try OpenDirectory(at: directory.path, followingLinks: true)?.replace(Self.name, with: known.sector)
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
  /// The bytes that a disk writes completely or damages.
  static let size = 512

  /// A line with its checksum, in as many bytes as a sector has.
  fileprivate var sector: [UInt8] {
    let text = "\(server.system) \(server.timeline) \(change.log) \(change.transaction)"
    let line = Array("\(text) \(Self.checksum(text))\n".utf8)
    return line + [UInt8](repeating: UInt8(ascii: "\n"), count: Self.size - line.count)
  }

  private static func checksum(_ text: String) -> String { String(Hex.text(SHA256.hash(Array(text.utf8))).prefix(16)) }

  /// The later change of the two sectors, and in which of them it is.
  fileprivate static func newest(in file: Int32) -> (known: Self, sector: Int)? {
    (0...1).compactMap { sector in Self(file: file, sector).map { ($0, sector) } }
      .max { ($0.0.server.timeline, $0.0.change.log) < ($1.0.server.timeline, $1.0.change.log) }
  }

  private init?(file: Int32, _ sector: Int) {
    var content = [UInt8](repeating: 0, count: Self.size)
    let count = pread(file, &content, Self.size, off_t(sector * Self.size))
    let line = content.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 5, words[4] == Self.checksum(words[..<4].joined(separator: " ")),
      let timeline = UInt32(words[1]), let log = Int64(words[2]), let transaction = Int64(words[3])
    else { return nil }
    server = ConfirmedServer.Identity(system: String(words[0]), timeline: timeline)
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
