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
