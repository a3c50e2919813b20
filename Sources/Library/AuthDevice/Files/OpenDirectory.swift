import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open directory, whose files are opened through its descriptor.
///
/// A command therefore uses the same directory to its end, even if the path is replaced meanwhile.
package final class OpenDirectory: Sendable {
  /// The descriptor of the directory, for system calls such as openat(2).
  package let descriptor: Int32
  private let directory: PrivateDirectory

  /// Opens a directory, without following a link at its path; nil if it does not exist.
  package init?(at path: String, followingLinks: Bool = false) throws(FileError) {
    directory = PrivateDirectory(path: path)
    descriptor = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW))
    if descriptor >= 0 { return }
    let error = ErrorNumber.current
    if error.code == ENOENT { return nil }
    // The error says what is at the path instead of a directory.
    if error.code == ENOTDIR || error.code == ELOOP { try FileFacts(of: path)?.requireOwn(.directory) }
    throw .system(path, "cannot be opened", error)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The path of a file in the directory, for messages.
  package func file(_ name: String) -> String { directory.file(name) }

  /// Reads the type, owner and mode of the directory.
  package func facts() throws(FileError) -> FileFacts {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(directory.path, "cannot be examined", .current) }
    return FileFacts(path: directory.path, status: status)
  }

  /// Reads the type, owner and mode of a file, without following a link or opening it; nil if it
  /// does not exist.
  package func facts(of name: String) throws(FileError) -> FileFacts? {
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
      let error = ErrorNumber.current
      if error.code == ENOENT { return nil }
      throw .system(file(name), "cannot be examined", error)
    }
    return FileFacts(path: file(name), status: status)
  }

  /// Finds a file by name, without following a link or changing anything.
  ///
  /// - Returns: Nil if the file does not exist.
  /// - Throws: When others can write to the directory and so could have created the file.
  package func find(_ name: String) throws(FileError) -> FileFacts? {
    guard let found = try facts(of: name) else { return nil }
    let own = try facts()
    if own.isWritableByOthers {
      try refuseShared(own)
      throw own.wrongMode("lets other users write")
    }
    return found
  }

  /// Restricts the directory to its owner, before a write to `name`.
  ///
  /// - Returns: The facts of the file, without following a link; nil if it does not exist, and then
  ///   the directory is not restricted.
  /// - Throws: When the directory must stay accessible to others.
  package func secure(for name: String) throws(FileError) -> FileFacts? {
    guard try facts(of: name) != nil else { return nil }
    try keepOthersOut()
    // Read only now, because until now others could have replaced the file.
    return try facts(of: name)
  }

  /// Sets mode 0700, unless others may need the directory.
  package func keepOthersOut() throws(FileError) {
    let own = try facts()
    if own.isPrivate { return }
    try refuseShared(own)
    guard fchmod(descriptor, 0o700) == 0 else { throw .system(directory.path, "cannot be made private", .current) }
  }

  /// Refuses a directory that others may need.
  private func refuseShared(_ facts: FileFacts) throws(FileError) {
    // A plain mkdir does not set this bit, which marks a directory that many users share.
    if facts.isSticky { throw facts.shared("is shared") }
    if let stranger = try names(where: { !OwnFileName.isOwn($0) }).first {
      throw facts.shared("holds other files, such as '\(stranger.escaped)'")
    }
  }

  /// The matching names in the directory, unordered.
  package func names(where fits: (String) -> Bool = { _ in true }) throws(FileError) -> [String] {
    // A duplicate of the descriptor would continue where the last listing ended.
    let listing = open(".", O_RDONLY | O_DIRECTORY)
    guard listing >= 0 else { throw .system(directory.path, "cannot be read", .current) }
    guard let stream = fdopendir(listing) else {
      let error = ErrorNumber.current
      close(listing)
      throw .system(directory.path, "cannot be read", error)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw .system(directory.path, "cannot be read", .current) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
        start.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != "..", fits(name) { names.append(name) }
    }
  }

  /// Opens a file as openat(2), without following a link or waiting for another process.
  ///
  /// - Returns: The descriptor, or -1 with the error in `errno`.
  package func open(_ name: String, _ flags: Int32) -> Int32 {
    openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
  }

  /// Reads the start of a private file of this user; nil if it does not exist.
  package func read(_ name: String, atMost limit: Int) throws(FileError) -> [UInt8]? {
    let file = open(name, O_RDONLY)
    guard file >= 0 else {
      let error = ErrorNumber.current
      if error.code == ENOENT { return nil }
      // The error says what is there instead of a file.
      try facts(of: name)?.require(.file)
      throw .system(self.file(name), "cannot be opened", error)
    }
    defer { close(file) }
    let facts = try self.facts(of: file, name)
    try facts.require(.file)
    return try content(file, facts, atMost: limit)
  }

  /// Reads the type, owner and mode of an open file.
  func facts(of file: Int32, _ name: String) throws(FileError) -> FileFacts {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system(self.file(name), "cannot be examined", .current) }
    return FileFacts(path: self.file(name), status: status)
  }

  /// Reads the start of an open file; `facts` has its size, and its path for messages.
  func content(_ file: Int32, _ facts: FileFacts, atMost limit: Int) throws(FileError) -> [UInt8] {
    var content = [UInt8](repeating: 0, count: min(Int(facts.status.st_size), limit))
    let count = pread(file, &content, content.count, 0)
    guard count >= 0 else { throw .system(facts.path, "cannot be read", .current) }
    return Array(content.prefix(count))
  }

  /// Sets mode 0600 on a file, without following a link.
  package func makePrivate(_ name: String) throws(FileError) {
    guard fchmodat(descriptor, name, 0o600, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw .system(file(name), "cannot be made private", .current)
    }
  }

  /// Removes a file, unless it does not exist.
  package func remove(_ name: String) throws(FileError) {
    guard unlinkat(descriptor, name, 0) != 0, errno != ENOENT else { return }
    let error = ErrorNumber.current
    // The error says how to move a directory out of the way.
    if let found = try facts(of: name), found.isDirectory { try found.requireOwn(.file) }
    throw .system(file(name), "cannot be removed", error)
  }

  /// Renames a file; replaces a file that has the new name.
  package func rename(_ name: String, to new: String) throws(FileError) {
    guard renameat(descriptor, name, descriptor, new) == 0 else {
      throw .system(file(new), "cannot be replaced", .current)
    }
  }
}
