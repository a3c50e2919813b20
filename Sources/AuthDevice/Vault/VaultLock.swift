import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Locks out other writers of one session file, in this process and in others.
///
/// It uses flock(2), because fcntl(2) does not lock between threads of one process. It does not
/// block and has a deadline, because network file systems may never answer.
enum VaultLock {
  /// Runs `body` while it holds the lock, for which it waits up to a limit.
  static func hold<Result>(
    _ path: String, wait: Duration, _ body: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let descriptor = try opened(path)
    // A program that another thread just starts has the descriptor until it runs.
    defer {
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
    guard try take(descriptor, path, wait: wait) != .held else {
      throw FileError(
        .system, "\(path.escaped) is held by another process, which did not finish in time.",
        hint: "Try again; nothing was changed.")
    }
    return try body()
  }

  /// The result of taking a lock.
  enum Taken {
    /// It was free.
    case free
    /// It became free.
    case waited
    /// It is still another's.
    case held
  }

  /// Takes the lock of an open file, for which it waits up to a limit.
  static func take(_ descriptor: Int32, _ path: String, wait: Duration) throws(FileError) -> Taken {
    var result = Taken.free
    let deadline = ContinuousClock.now + wait
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(path, "cannot be locked", .current) }
      guard ContinuousClock.now < deadline else { return .held }
      result = .waited
      usleep(1_000)
    }
    return result
  }

  /// Opens the lock file, which is created with mode 0600.
  static func opened(_ path: String) throws(FileError) -> Int32 {
    if let facts = try FileFacts(of: path) {
      try facts.requireOwn(.file)
      guard !facts.hasOtherNames else {
        throw FileError(
          .wrongType, "\(path.escaped) has another name, a hard link, so its mode is left as it is.",
          hint: "Delete this one; it is made again.")
      }
      // A process that was killed while it created the file may have left any mode. The file is
      // empty, so others could not have read anything.
      if facts.permissions != 0o600, chmod(path, 0o600) != 0 { throw .system(path, "cannot be made private", .current) }
    }
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened", .current) }
    if fchmod(descriptor, 0o600) == 0 { return descriptor }
    defer { close(descriptor) }
    throw .system(path, "cannot be made private", .current)
  }
}
