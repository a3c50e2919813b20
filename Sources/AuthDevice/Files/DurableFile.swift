import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes files atomically: a reader sees all of the new content or all of the old.
package enum DurableFile {
  /// The prefix and suffix of the temporary file that replaces a file.
  package static let (temporaryPrefix, temporarySuffix) = (".", ".new")

  /// Replaces the content of `name`: temporary file, fsync, rename, fsync of the directory.
  ///
  /// The caller must hold the lock for writers. So the temporary name needs no randomness, and the
  /// temporary file of a killed process is reused.
  package static func replace(_ name: String, in directory: PrivateDirectory, with content: [UInt8]) throws(FileError) {
    let path = directory.file(name)
    let temporary = directory.file(temporaryPrefix + name + temporarySuffix)
    if unlink(temporary) != 0, errno != ENOENT { throw .system(temporary, "cannot be removed", .current) }
    do throws(FileError) {
      try create(temporary, with: content)
      guard rename(temporary, path) == 0 else { throw .system(path, "cannot be replaced", .current) }
    } catch {
      unlink(temporary)
      throw error
    }
    try directory.synchronize()
  }

  /// Creates an empty file of this size, durably, whose content can be written on a full disk.
  ///
  /// - Returns: Its descriptor, for reading and writing at its start.
  package static func reserve(_ path: String, _ size: Int) throws(FileError) -> Int32 {
    if unlink(path) != 0, errno != ENOENT { throw .system(path, "cannot be removed", .current) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(path, "cannot be made", .current) }
    do throws(FileError) {
      guard fchmod(descriptor, 0o600) == 0 else { throw .system(path, "cannot be made private", .current) }
      #if canImport(Darwin)
        let zeros = [UInt8](repeating: 0, count: size)
        guard pwrite(descriptor, zeros, size, 0) == size else { throw .system(path, "cannot be written", .current) }
      #else
        let failure = posix_fallocate(descriptor, 0, off_t(size))
        guard failure == 0 else { throw .system(path, "cannot be written", ErrorNumber(failure)) }
      #endif
      guard flush(descriptor) == 0 else { throw .system(path, "cannot be made durable", .current) }
      return descriptor
    } catch {
      close(descriptor)
      unlink(path)
      throw error
    }
  }

  /// Replaces the content of `name` with that of a reserved file, which needs no more room.
  ///
  /// The caller must hold the lock for writers.
  package static func replace(
    _ name: String, in directory: PrivateDirectory, with content: [UInt8], reserved: String
  ) throws(FileError) {
    let descriptor = open(reserved, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    // Without it, as after a recovery, the content needs room.
    guard descriptor >= 0 else { return try replace(name, in: directory, with: content) }
    defer { close(descriptor) }
    guard pwrite(descriptor, content, content.count, 0) == content.count,
      ftruncate(descriptor, off_t(content.count)) == 0, flush(descriptor) == 0
    else { throw .system(reserved, "cannot be written", .current) }
    let path = directory.file(name)
    guard rename(reserved, path) == 0 else { throw .system(path, "cannot be replaced", .current) }
    try directory.synchronize()
  }

  /// Makes the content of a descriptor durable, as fsync(2).
  ///
  /// On Apple's systems fsync(2) leaves it in the cache of the disk (fcntl(2), F_FULLFSYNC).
  private static func flush(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor)
  }

  /// Makes the content of a file, or the entries of a directory, durable.
  ///
  /// Do not use it for a database file in use: closing the file would drop SQLite's locks.
  package static func synchronize(_ path: String, isDirectory: Bool = false) throws(FileError) {
    let descriptor = open(path, (isDirectory ? O_RDONLY | O_DIRECTORY : O_RDWR | O_NOFOLLOW) | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened", .current) }
    defer { close(descriptor) }
    // Some file systems cannot sync directories.
    if flush(descriptor) != 0, !(isDirectory && errno == EINVAL) {
      throw .system(path, "cannot be made durable", .current)
    }
  }

  /// Creates a file with mode 0600, whatever the umask, and makes its content durable.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - content: What the file contains.
  ///   - mayExist: Whether a file that exists stays as it is, without an error.
  /// - Throws: The error of the system call that failed.
  package static func create(
    _ path: String, with content: [UInt8] = [], mayExist: Bool = false
  ) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      if mayExist, errno == EEXIST { return }
      throw .system(path, "cannot be made", .current)
    }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else { throw .system(path, "cannot be made private", .current) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count == 0 || count < 0 && errno != EINTR { throw .system(path, "cannot be written", .current) }
      rest = rest.dropFirst(max(count, 0))
    }
    guard flush(descriptor) == 0 else { throw .system(path, "cannot be made durable", .current) }
  }
}
