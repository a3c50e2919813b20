import Glibc

/// Excludes the other writers of one session file, in this process and in others, until it is gone.
///
/// flock(2) and not fcntl(2), because it excludes two threads of one process as well; not blocking and with a deadline,
/// because network file systems may never answer.
struct VaultLock: ~Copyable {
  private let descriptor: Int32

  init(path: String, wait: Duration) throws(FileFault) {
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      let error = ErrorNumber.current
      if error.code == ELOOP, let facts = try FileFacts(of: path) { try facts.require(.file) }
      throw .system(path, "cannot be opened", error)
    }
    do throws(FileFault) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw .system(path, "cannot be examined", .current) }
      if status.st_uid == geteuid(), status.st_mode & 0o777 != 0o600, fchmod(descriptor, 0o600) != 0 {
        throw .system(path, "cannot be made private", .current)
      }
      try Self.acquire(descriptor, path: path, wait: wait)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    close(descriptor)
  }

  private static func acquire(_ descriptor: Int32, path: String, wait: Duration) throws(FileFault) {
    let deadline = ContinuousClock.now + wait
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(path, "cannot be locked", .current) }
      guard ContinuousClock.now < deadline else {
        throw FileFault(
          .system(ErrorNumber(EWOULDBLOCK)),
          "\(path.printable) is held by another process, which did not finish in time.",
          hint: "Try again; nothing was changed.")
      }
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      nanosleep(&pause, nil)
    }
  }
}
