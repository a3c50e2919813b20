import AuthCore
import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lock for the writers of one session file, in this process and in others.
///
/// It uses flock(2), because locks of fcntl(2) do not exclude threads of the same process. It polls
/// until a deadline instead of blocking, because a network file system may never answer.
enum VaultLock {
  /// Runs `body` with the lock; throws if another process holds it for longer than `wait`.
  static func hold<Result>(
    _ name: String, in directory: OpenDirectory, wait: Duration, _ body: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let path = directory.file(name)
    let descriptor = try opened(name, in: directory)
    defer { release(descriptor) }
    guard try take(descriptor, path, wait: wait) != .held else {
      throw FileError(
        .system, "\(path.escaped) is held by another process, which did not finish in time.",
        hint: "Try again; nothing was changed.")
    }
    return try body()
  }

  /// Releases the lock, if it was taken, and closes its file.
  ///
  /// Closing the file is not enough: a program that another thread is just starting has a copy of
  /// the descriptor.
  static func release(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The result of taking a lock.
  enum Taken {
    /// The lock was free, and the caller has it now.
    case free
    /// Another holder released the lock during the wait, and the caller has it now.
    case waited
    /// Another holder kept the lock until the wait was over.
    case held
  }

  /// Takes the lock of an open file; waits for another holder for as long as `wait`.
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

  /// Whether the lock is free, or another holder has it.
  static func probe(_ name: String, in directory: OpenDirectory) throws(FileError) -> Taken {
    let descriptor = try opened(name, in: directory)
    defer { release(descriptor) }
    return try take(descriptor, directory.file(name), wait: .zero)
  }

  /// Opens the lock file, which is created with mode 0600.
  static func opened(_ name: String, in directory: OpenDirectory) throws(FileError) -> Int32 {
    if let facts = try directory.facts(of: name) {
      try require(facts)
      // A process that was killed while it created the file may have left any mode. The file is
      // empty, so others could not have read anything.
      if facts.permissions != 0o600 { try directory.makePrivate(name) }
    }
    let descriptor = directory.open(name, O_RDWR | O_CREAT)
    guard descriptor >= 0 else { throw .system(directory.file(name), "cannot be opened", .current) }
    do throws(FileError) {
      let facts = try directory.facts(of: descriptor, name)
      try require(facts)
      // The umask may have changed the mode of a new file.
      guard facts.permissions == 0o600 || fchmod(descriptor, 0o600) == 0 else {
        throw .system(directory.file(name), "cannot be made private", .current)
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func require(_ facts: FileFacts) throws(FileError) {
    let hint = "Delete it; it is created again when it is needed."
    do throws(FileError) {
      try facts.requireOwn(.file)
    } catch {
      // It is never followed, so nobody needs it.
      throw facts.isLink ? FileError(.wrongType, error.description, hint: hint) : error
    }
    guard !facts.hasOtherNames else {
      throw FileError(
        .wrongType, "\(facts.path.escaped) has another name, a hard link, so its mode is left as it is.", hint: hint)
    }
  }
}
