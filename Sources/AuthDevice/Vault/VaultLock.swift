import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Locks out other writers of one session file, in this process and in others, until it is
/// destroyed.
///
/// It uses flock(2), because fcntl(2) does not lock between threads of one process. It does not
/// block and has a deadline, because network file systems may never answer.
struct VaultLock: ~Copyable {
  private let descriptor: Int32

  /// Waits for the lock, up to a limit.
  static func acquire(_ path: String, wait: Duration) throws(FileError) -> VaultLock {
    try restoreMode(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened", .current) }
    let lock = VaultLock(descriptor: descriptor)
    guard fchmod(descriptor, 0o600) == 0 else { throw .system(path, "cannot be made private", .current) }
    try lock.enter(path, wait: wait)
    return lock
  }

  deinit {
    close(descriptor)
  }

  /// Sets the mode of the lock file to 0600.
  ///
  /// A process that was killed while it created the file may have left any mode. The file is empty,
  /// so others could not have read anything.
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
          .system,
          "\(path.escaped) is held by another process, which did not finish in time.",
          hint: "Try again; nothing was changed.")
      }
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      nanosleep(&pause, nil)
    }
  }
}
