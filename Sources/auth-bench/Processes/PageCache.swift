import Glibc
import Synchronization

/// The file of a measured program, kept in memory as it is after a restart of the machine.
///
/// The kernel keeps a file that was read in turn in larger pages than one that a linker has just
/// written. The small ones cost up to a third of the time of a short program. The larger the pages,
/// the more of the file counts as memory of the process: so the file is read as `cat` reads it.
enum PageCache {
  private static let read = Mutex<Set<String>>([])

  /// Drops the file from memory and reads it from its beginning to its end, once in a run.
  static func readAgain(_ path: String) throws {
    guard read.withLock({ $0.insert(path).inserted }) else { return }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw BenchError.system(path) }
    defer { close(file) }
    // What is not yet on the disk cannot be dropped.
    guard fsync(file) == 0 else { throw BenchError.system(path) }
    for advice in [POSIX_FADV_DONTNEED, POSIX_FADV_SEQUENTIAL] {
      let code = posix_fadvise(file, 0, 0, advice)
      guard code == 0 else { throw BenchError.system(path, code) }
    }
    var part = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      let count = Glibc.read(file, &part, part.count)
      guard count > 0 else {
        if count == 0 { return }
        throw BenchError.system(path)
      }
    }
  }
}
