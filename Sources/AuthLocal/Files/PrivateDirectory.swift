import Glibc

/// A directory that only its owner may enter: mode 0700, owned by this user, no symbolic link.
struct PrivateDirectory: Sendable {
  let path: String

  /// Checks the directory.
  ///
  /// - Returns: False when there is none.
  func exists() throws(FileFault) -> Bool {
    guard let facts = try FileFacts(of: path) else { return false }
    if facts.permissions == 0, facts.isDirectory, facts.status.st_uid == geteuid() {
      // Killed between mkdir and chmod under a umask of 777: finish what was begun.
      guard chmod(path, 0o700) == 0 else { throw .system(path, "cannot be made accessible", .current) }
      return true
    }
    try facts.require(.directory)
    return true
  }

  /// Makes the directory, and those above it that are missing, durable and with mode 0700 whatever the umask.
  func create() throws(FileFault) {
    if try exists() { return }
    let parent = Self.parent(of: path)
    if parent != path, access(parent, F_OK) != 0, errno == ENOENT {
      try PrivateDirectory(path: parent).create()
    }
    if mkdir(path, 0o700) == 0 {
      guard chmod(path, 0o700) == 0 else { throw .system(path, "cannot be made private", .current) }
      try Self.synchronize(parent)
    } else if errno != EEXIST {
      throw .system(path, "cannot be made", .current)
    }
    _ = try exists()
  }

  /// Makes the names in the directory durable.
  func synchronize() throws(FileFault) {
    try Self.synchronize(path)
  }

  func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

  private static func synchronize(_ path: String) throws(FileFault) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened", .current) }
    defer { close(descriptor) }
    // EINVAL: a file system that cannot synchronise a directory has no more to give.
    if fsync(descriptor) != 0, errno != EINVAL { throw .system(path, "cannot be made durable", .current) }
  }

  private static func parent(of path: String) -> String {
    let above = path.split(separator: "/").dropLast().joined(separator: "/")
    if path.hasPrefix("/") { return "/" + above }
    return above.isEmpty ? "." : above
  }
}
