import Glibc
import Programs

/// A small file system of its own, in memory, for faults of the disk.
///
/// Only root can mount one.
package final class SmallDisk: Sendable {
  package struct NotMounted: Error {}

  package static let isPossible: Bool = {
    // Held, because a folder that nobody has is deleted.
    let folder = ShortFolder()
    return withExtendedLifetime(folder) { geteuid() == 0 && (try? SmallDisk(at: folder.path + "/disk")) != nil }
  }()
  private let path: String

  /// Mounts it at a path, which is created, for a user.
  package init(at path: String, owner: UInt32 = 0, kilobytes: Int = 512) throws {
    self.path = path
    mkdir(path, 0o700)
    let options = "size=\(kilobytes)k,mode=0700,uid=\(owner),gid=\(owner)"
    guard mount("tmpfs", path, "tmpfs", 0, options) == 0 else { throw NotMounted() }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  package func fill() { _ = system("cat /dev/zero >'\(path)/filler' 2>/dev/null") }
  package func free() { _ = system("rm '\(path)'/filler*") }
}
