import Glibc

/// A file system of its own, 512 KiB in memory, for faults of the disk.
///
/// Only root can mount one.
final class SmallDisk {
  struct NotMounted: Error {}

  let work = Workspace()

  static let isPossible = geteuid() == 0 && (try? SmallDisk()) != nil

  init() throws {
    mkdir(work.path + "/data", 0o700)
    guard mount("tmpfs", work.data, "tmpfs", 0, "size=512k,mode=0700") == 0 else { throw NotMounted() }
  }

  deinit {
    umount2(work.data, Int32(MNT_DETACH))
  }

  func remount(_ option: String) -> Bool {
    work.run("mount -o remount,\(option) '\(work.data)' && echo done") == "done"
  }
}
