import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Atomic writes: a reader sees either all of the new content or all of the old.
extension OpenDirectory {
  /// Replaces the content of `name`: temporary file, fsync, rename, fsync of the directory.
  ///
  /// The caller must hold the writers' lock. Therefore the name of the temporary file is fixed, and
  /// one that a killed process left behind is removed first.
  package func replace(_ name: String, with content: [UInt8]) throws(FileError) {
    let temporary = DurableFile.temporaryPrefix + name + DurableFile.temporarySuffix
    try remove(temporary)
    do throws(FileError) {
      try create(temporary, with: content)
      try rename(temporary, to: name)
    } catch {
      unlinkat(descriptor, temporary, 0)
      throw error
    }
    try synchronize()
  }

  /// Creates a file and reserves disk space for it, so that it can be written even if the disk is
  /// full by then.
  ///
  /// - Returns: Its descriptor, for reading and writing at its start.
  package func reserve(_ name: String, _ size: Int) throws(FileError) -> Int32 {
    try remove(name)
    let path = file(name)
    let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL)
    guard descriptor >= 0 else { throw .system(path, "cannot be created", .current) }
    do throws(FileError) {
      guard fchmod(descriptor, 0o600) == 0 else { throw .system(path, "cannot be made private", .current) }
      #if canImport(Darwin)
        let zeros = [UInt8](repeating: 0, count: size)
        guard pwrite(descriptor, zeros, size, 0) == size else { throw .system(path, "cannot be written", .current) }
      #else
        let failure = posix_fallocate(descriptor, 0, off_t(size))
        guard failure == 0 else { throw .system(path, "cannot be written", ErrorNumber(failure)) }
      #endif
      guard DurableFile.flush(descriptor) == 0 else { throw .system(path, "cannot be made durable", .current) }
      return descriptor
    } catch {
      close(descriptor)
      unlinkat(self.descriptor, name, 0)
      throw error
    }
  }

  /// Replaces the content of `name`, through the file that ``reserve(_:_:)`` created; this needs no
  /// free disk space.
  ///
  /// The caller must hold the writers' lock.
  package func replace(_ name: String, with content: [UInt8], reserved: String) throws(FileError) {
    let descriptor = open(reserved, O_WRONLY)
    // No file is reserved, such as after a crash, so this needs free disk space.
    guard descriptor >= 0 else { return try replace(name, with: content) }
    defer { close(descriptor) }
    guard pwrite(descriptor, content, content.count, 0) == content.count,
      ftruncate(descriptor, off_t(content.count)) == 0, DurableFile.flush(descriptor) == 0
    else { throw .system(file(reserved), "cannot be written", .current) }
    try rename(reserved, to: name)
    try synchronize()
  }

  /// Creates a file with mode 0600, whatever the umask, and makes its content durable.
  ///
  /// If that fails, no part of the file remains, unless another process may use it by now.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - content: What the file contains.
  ///   - mayExist: Whether a file that exists stays as it is, without an error.
  /// - Throws: The error of the system call that failed.
  package func create(_ name: String, with content: [UInt8] = [], mayExist: Bool = false) throws(FileError) {
    let path = file(name)
    let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL)
    if descriptor < 0 {
      if mayExist, errno == EEXIST { return }
      throw .system(path, "cannot be created", .current)
    }
    defer { close(descriptor) }
    do throws(FileError) { try fill(descriptor, path, with: content) } catch {
      if !mayExist { unlinkat(self.descriptor, name, 0) }
      throw error
    }
  }

  private func fill(_ descriptor: Int32, _ path: String, with content: [UInt8]) throws(FileError) {
    guard fchmod(descriptor, 0o600) == 0 else { throw .system(path, "cannot be made private", .current) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count == 0 || count < 0 && errno != EINTR { throw .system(path, "cannot be written", .current) }
      rest = rest.dropFirst(max(count, 0))
    }
    guard DurableFile.flush(descriptor) == 0 else { throw .system(path, "cannot be made durable", .current) }
  }

  /// Makes the directory's own entry durable, if this user may read the directory that contains it.
  ///
  /// Whoever made the directory may not have done that: then a power cut would take all that is in
  /// it.
  package func synchronizeEntry() throws(FileError) {
    let parent = open("..", O_RDONLY | O_DIRECTORY)
    if parent < 0, errno == EACCES { return }
    guard parent >= 0 else { throw .system(file(""), "cannot be made durable", .current) }
    defer { close(parent) }
    // Some file systems cannot sync directories.
    if DurableFile.flush(parent) != 0, errno != EINVAL {
      throw .system(file(""), "cannot be made durable", .current)
    }
  }

  /// Makes the entries of the directory durable.
  package func synchronize() throws(FileError) {
    // Some file systems cannot sync directories.
    if DurableFile.flush(descriptor) != 0, errno != EINVAL {
      throw .system(file(""), "cannot be made durable", .current)
    }
  }
}

/// Flushes files to the disk, and names the temporary ones.
package enum DurableFile {
  /// The prefix and suffix of the temporary file that replaces a file.
  package static let (temporaryPrefix, temporarySuffix) = (".", ".new")

  /// Makes the content of a file durable.
  ///
  /// Do not use it for a database file in use: closing the file would drop SQLite's locks.
  package static func synchronize(_ path: String) throws(FileError) {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened", .current) }
    defer { close(descriptor) }
    if flush(descriptor) != 0 { throw .system(path, "cannot be made durable", .current) }
  }

  /// Makes the content of a descriptor durable, as fsync(2).
  ///
  /// On Apple's systems fsync(2) leaves it in the cache of the disk (fcntl(2), F_FULLFSYNC).
  static func flush(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor)
  }
}
