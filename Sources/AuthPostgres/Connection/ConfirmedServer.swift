package import AuthBackend
import AuthCore
import AuthDevice
import Glibc
import Guards
import TextFormat

/// Which server confirmed the last change, in a file: its cluster and its timeline.
///
/// Each promotion of a standby begins a timeline with a higher number. An old primary that is
/// started again without fencing still has the lower one: it accepts connections, and shows what
/// was before the promotion. A promotion that is taken back may have been seen, but with
/// synchronous replication it confirmed nothing, so it must not refuse the server that goes on.
/// Source: PostgreSQL, "Continuous Archiving", Timelines.
package final class ConfirmedServer: Sendable {
  /// What tells an older server from a newer one.
  struct Identity: Hashable {
    let system: String
    let timeline: UInt32
  }

  static let name = "confirmed-server"
  private let directory: PrivateDirectory

  /// Names the file in a directory that exists, such as systemd's StateDirectory.
  package init(directory: String) {
    self.directory = PrivateDirectory(named: directory)
  }

  /// Where it is kept.
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
  func known() -> Identity? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &content, content.count)
    let words = String(decoding: content.prefix(max(count, 0)), as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 2, let timeline = UInt32(words[1]) else { return nil }
    return Identity(system: String(words[0]), timeline: timeline)
  }

  private let writing = Locked(())

  /// Writes down that the server of a connection confirmed a change.
  ///
  /// It is a second line of defence behind the fencing of old primaries, so a disk that is full
  /// fails no payment; the next change tries again.
  func note(_ connection: ServerConnection) {
    guard let server = connection.unconfirmed else { return }
    let isOnFile = writing.withLock { _ in
      if let known = known(), known.system == server.system, known.timeline >= server.timeline { return true }
      let line = Array("\(server.system) \(server.timeline)\n".utf8)
      return (try? DurableFile.replace(Self.name, in: directory, with: line)) != nil
    }
    if isOnFile { connection.unconfirmed = nil }
  }

  /// Throws if the server of a new connection must not be used.
  func verify(_ connection: ServerConnection, until deadline: ContinuousClock.Instant) throws(ServerFault) {
    guard let server = try Identity(of: connection, until: deadline) else { return }
    connection.unconfirmed = server
    guard let known = known() else { return }
    let fault: String
    if server.system != known.system {
      fault = "another cluster (\(server.system)) than the one that confirmed changes (\(known.system))"
    } else if server.timeline < known.timeline {
      fault = "an old primary of timeline \(server.timeline), and timeline \(known.timeline) has confirmed changes"
    } else {
      return
    }
    throw .notConnected("\(connection.place) is \(fault), as \(path.escaped) records", .serverOutdated)
  }
}

extension ConfirmedServer.Identity {
  /// Asks a server; nil for one that does not say, such as a standby, which accepts no changes
  /// either.
  init?(of connection: ServerConnection, until deadline: ContinuousClock.Instant) throws(ServerFault) {
    let rows: [[String?]]
    do throws(ServerFault) {
      rows = try connection.run(
        """
        SELECT pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), system_identifier
        FROM pg_catalog.pg_control_system()
        """, until: deadline)
    } catch {
      if case .refused = error { return nil }
      throw error
    }
    guard let row = rows.first, let timeline = row[0].flatMap({ UInt32($0.prefix(8), radix: 16) }), let system = row[1]
    else { return nil }
    self.init(system: system, timeline: timeline)
  }
}
