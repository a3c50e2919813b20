import Glibc
import TextFormat

/// Excludes other writers of one session file, in this process and in others, until it is freed.
///
/// It uses flock(2) and not fcntl(2), which does not exclude two threads of one process. It does
/// not block and has a deadline, because network file systems may never answer.
struct VaultLock: ~Copyable {
  private let descriptor: Int32

  /// Waits for the lock up to a limit.
  static func acquire(_ path: String, wait: Duration) throws(FileError) -> VaultLock {
    try restoreMode(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened", .current) }
    let lock = VaultLock(descriptor: descriptor)
    guard fchmod(descriptor, 0o600) == 0 else { throw .system(path, "cannot be made private", .current) }
    try lock.enter(path, wait: wait)
    return lock
  }

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The file is empty, so others could read nothing in it.
  ///
  /// A process that was killed while it made the file may have left any mode.
  private static func restoreMode(_ path: String) throws(FileError) {
    guard let facts = try FileFacts(of: path) else { return }
    try facts.requireOwn(.file)
    if facts.permissions != 0o600, chmod(path, 0o600) != 0 { throw .system(path, "cannot be made private", .current) }
  }

  private func enter(_ path: String, wait: Duration) throws(FileError) {
    let deadline = ContinuousClock.now + wait
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(path, "cannot be locked", .current) }
      guard ContinuousClock.now < deadline else {
        throw FileError(
          .system(ErrorNumber(EWOULDBLOCK)),
          "\(path.escaped) is held by another process, which did not finish in time.",
          hint: "Try again; nothing was changed.")
      }
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      nanosleep(&pause, nil)
    }
  }
}
