import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The path of a directory that only its owner can access: mode 0700.
///
/// Users often create the directory with a plain mkdir, which gives others access. So the first
/// write restricts the mode, as initdb of PostgreSQL does ("fixing permissions on existing
/// directory"). A directory that contains other files is refused instead, because restricting
/// `/tmp` or a project would lock other users out. Reading changes nothing. It accepts a directory
/// that others can read, and refuses one that others can write, because they could have created the
/// file.
package struct PrivateDirectory: Sendable {
  /// The path, which need not exist.
  package let path: String

  /// Opens the directory, which must belong to this user; nil if it does not exist.
  package func opened() throws(FileError) -> OpenDirectory? {
    guard let directory = try OpenDirectory(at: path) else { return nil }
    try directory.facts().requireOwn(.directory)
    return directory
  }

  /// Creates the directory and its missing parents, durably and with mode 0700, whatever the umask;
  /// as root only if the nearest parent is root's.
  ///
  /// An existing directory does not change.
  @discardableResult
  package func makeIfMissing() throws(FileError) -> OpenDirectory {
    if let directory = try opened() { return directory }
    let parent = Self.parent(of: path)
    if parent != path, access(parent, F_OK) != 0, errno == ENOENT {
      try PrivateDirectory(path: parent).makeIfMissing()
    }
    try refuseForeignParent(parent)
    let isMade = mkdir(path, 0o700) == 0
    if !isMade, errno != EEXIST { throw .system(path, "cannot be created", .current) }
    guard isMade else { return try presentNow() }
    // Under a umask of 777 it cannot be opened yet.
    guard fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw .system(path, "cannot be made private", .current)
    }
    try OpenDirectory(at: parent, followingLinks: true)?.synchronize()
    return try presentNow()
  }

  /// Refuses to leave a directory of root in one of another user, such as when HOME is that user's.
  ///
  /// The user could not use it, and root would never look for it there.
  private func refuseForeignParent(_ parent: String) throws(FileError) {
    guard geteuid() == 0, let facts = try OpenDirectory(at: parent, followingLinks: true)?.facts(), !facts.isOwn else {
      return
    }
    throw FileError(
      .wrongOwner, "\(path.escaped) cannot be created: \(facts.ownership).",
      hint: "Set HOME to your own directory, or AUTH_CLI_HOME to one that you created.")
  }

  private func presentNow() throws(FileError) -> OpenDirectory {
    guard let directory = try opened() else { throw .system(path, "cannot be opened", ErrorNumber(ENOENT)) }
    return directory
  }

  /// Creates the directory if it is missing, and restricts it to its owner.
  package func create() throws(FileError) -> OpenDirectory {
    let directory = try makeIfMissing()
    try directory.keepOthersOut()
    return directory
  }

  /// The path of a file in the directory.
  package func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

  /// The path of the directory that contains this path.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension PrivateDirectory {
  /// Creates a path without slashes and dots at its end.
  ///
  /// With a slash at the end the system follows a symbolic link, so the link would be refused in
  /// one spelling and accepted in the other.
  package init(named name: String) {
    var path = name.utf8[...]
    while path.count > 1, path.last == UInt8(ascii: "/") || path.suffix(2).elementsEqual("/.".utf8) {
      path.removeLast()
    }
    self.init(path: String(path) ?? name)
  }
}
