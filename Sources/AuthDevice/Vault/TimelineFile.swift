import Glibc

/// Stores the newest timeline of each server cluster that this user's commands have seen, in one
/// file.
///
/// A new command compares the server with it. This is a second line of defence, behind the fencing
/// of old primaries, so it never makes a command fail: the command ignores a missing or unreadable
/// file, and a failed write.
package struct TimelineFile: Sendable {
  static let name = "server-timelines"
  private static let longest = 1 << 16

  private let directory: PrivateDirectory

  /// Uses the file in a directory of session files; does not read or create anything yet.
  package init(directory: String) {
    self.directory = PrivateDirectory(named: directory)
  }

  package var path: String { directory.file(Self.name) }

  /// The newest timeline of a cluster; nil if none is known.
  package func newest(of cluster: String) -> UInt32? { entries()[cluster] }

  /// Stores a timeline, unless a newer one is stored.
  package func keep(_ timeline: UInt32, of cluster: String) {
    do throws(FileError) {
      try directory.create()
      let lock = try VaultLock.acquire(directory.file(Self.name + FileVault.lockSuffix), wait: .seconds(1))
      var entries = entries()
      if entries[cluster, default: 0] < timeline {
        entries[cluster] = timeline
        let lines = entries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
        try DurableFile.replace(Self.name, in: directory, with: Array(lines.joined().utf8))
      }
      _ = consume lock
    } catch {
      // The next command tries again.
    }
  }

  private func entries() -> [String: UInt32] {
    do throws(FileError) {
      guard try directory.look(for: Self.name) != nil else { return [:] }
    } catch {
      return [:]
    }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [:] }
    defer { close(descriptor) }
    var content = [UInt8](repeating: 0, count: Self.longest)
    let count = read(descriptor, &content, content.count)
    guard count > 0 else { return [:] }
    var entries: [String: UInt32] = [:]
    for line in content.prefix(count).split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count == 2, let number = UInt32(String(decoding: words[1], as: UTF8.self)) else { continue }
      entries[String(decoding: words[0], as: UTF8.self)] = number
    }
    return entries
  }
}
