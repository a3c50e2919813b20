import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory that only its owner can access: mode 0700.
///
/// Users often create the directory with a plain mkdir, which gives others access. So the first
/// write restricts the mode, as initdb of PostgreSQL does ("fixing permissions on existing
/// directory"). A directory that contains other files is refused instead, because restricting
/// `/tmp` or a project would lock other users out. Reading changes nothing. It accepts a directory
/// that others can read, and refuses one that others can write, because they could have created the
/// file.
package struct PrivateDirectory: Sendable {
  package let path: String

  /// Finds a file by name, without following a link or changing anything.
  ///
  /// - Returns: Nil if the file or the directory does not exist.
  /// - Throws: When the directory belongs to another user, or when others can write to it and so
  ///   could have created the file.
  package func look(for name: String) throws(FileError) -> FileFacts? {
    guard let (own, found) = try find(name) else { return nil }
    if own.isWritableByOthers {
      try refuseShared(own)
      throw own.wrongMode("lets others write")
    }
    return found
  }

  /// Restricts the directory to its owner, before a write to `name`.
  ///
  /// - Returns: The file, without following a link. Nil, without any change, if it or the directory
  ///   does not exist.
  /// - Throws: When the directory belongs to another user, or must stay accessible to others.
  package func secure(for name: String) throws(FileError) -> FileFacts? {
    guard let (own, found) = try find(name) else { return nil }
    if own.isPrivate { return found }
    try keepOthersOut(own)
    // Read again, because until now others could have replaced the file.
    return try FileFacts(of: file(name))
  }

  /// The directory, which must be this user's, and a file in it; nil if either does not exist.
  private func find(_ name: String) throws(FileError) -> (own: FileFacts, found: FileFacts)? {
    guard let own = try FileFacts(of: path) else { return nil }
    try own.requireOwn(.directory)
    return try FileFacts(of: file(name)).map { (own, $0) }
  }

  /// Sets mode 0700, unless others may need the directory.
  private func keepOthersOut(_ facts: FileFacts) throws(FileError) {
    if facts.isPrivate { return }
    try refuseShared(facts)
    guard chmod(path, 0o700) == 0 else { throw .system(path, "cannot be made private", .current) }
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
    guard let stream = opendir(path) else { throw .system(path, "cannot be read", .current) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw .system(path, "cannot be read", .current) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
        start.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != "..", fits(name) { names.append(name) }
    }
  }

  /// Creates the directory and its missing parents, durably and with mode 0700, whatever the umask.
  ///
  /// An existing directory does not change.
  package func makeIfMissing() throws(FileError) {
    if let facts = try FileFacts(of: path) { return try facts.requireOwn(.directory) }
    let parent = Self.parent(of: path)
    if parent != path, access(parent, F_OK) != 0, errno == ENOENT {
      try PrivateDirectory(path: parent).makeIfMissing()
    }
    if mkdir(path, 0o700) == 0 {
      guard chmod(path, 0o700) == 0 else { throw .system(path, "cannot be made private", .current) }
      try DurableFile.synchronize(parent, isDirectory: true)
    } else if errno != EEXIST {
      throw .system(path, "cannot be made", .current)
    }
  }

  /// Creates the directory if it is missing, and restricts it to its owner.
  package func create() throws(FileError) {
    try makeIfMissing()
    guard let facts = try FileFacts(of: path) else { throw .system(path, "cannot be examined", ErrorNumber(ENOENT)) }
    try facts.requireOwn(.directory)
    try keepOthersOut(facts)
  }

  /// Makes the entries of the directory durable.
  package func synchronize() throws(FileError) {
    try DurableFile.synchronize(path, isDirectory: true)
  }

  package func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension PrivateDirectory {
  /// Removes slashes and dots at the end of the path.
  ///
  /// With them, the system follows a symbolic link, so a link that is refused in one spelling would
  /// be accepted in the other.
  package init(named name: String) {
    var path = name.utf8[...]
    while path.count > 1, path.last == UInt8(ascii: "/") || path.suffix(2).elementsEqual("/.".utf8) {
      path.removeLast()
    }
    self.init(path: String(path) ?? name)
  }
}
