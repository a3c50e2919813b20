import AuthBackend
import Glibc
import TextFormat

/// A directory of this user's own, which is kept to its owner: mode 0700.
///
/// People make it with a plain mkdir, which lets others in. So what is made here is 0700, and what
/// is about to be written to is tightened first, as initdb of PostgreSQL does ("fixing permissions
/// on existing directory"). What holds other files than ours is refused instead: to close `/tmp` or
/// a project would shut others out of what is theirs. Reading changes nothing: it trusts what
/// others may see but not write, and refuses what others could have put there.
struct PrivateDirectory: Sendable {
  let path: String

  /// Looks for a file by name without following a link, changing nothing.
  ///
  /// - Returns: nil when there is no such file, or no directory.
  /// - Throws: When the directory is not this user's own, or when the file may be somebody else's
  ///   work because others may write to the directory.
  func look(for name: String) throws(FileError) -> FileFacts? {
    guard let own = try FileFacts(of: path) else { return nil }
    try own.requireOwn(.directory)
    guard let found = try FileFacts(of: file(name)) else { return nil }
    if own.isWritableByOthers {
      try refuseShared(own)
      throw own.wrongMode("lets others write")
    }
    return found
  }

  /// Keeps others out of the directory, before `name` in it is written to.
  ///
  /// - Returns: False when there is no such file, or no directory; nothing is changed then.
  /// - Throws: When the directory is not this user's own, or is not to be closed.
  func secure(for name: String) throws(FileError) -> Bool {
    guard let facts = try FileFacts(of: path) else { return false }
    try facts.requireOwn(.directory)
    guard try FileFacts(of: file(name)) != nil else { return false }
    try keepOthersOut(facts)
    return true
  }

  /// Gives the directory mode 0700, unless others may have use for it.
  private func keepOthersOut(_ facts: FileFacts) throws(FileError) {
    if facts.isPrivate { return }
    try refuseShared(facts)
    guard chmod(path, 0o700) == 0 else { throw .system(path, "cannot be made private", .current) }
  }

  /// Refuses a directory that others may have use for.
  private func refuseShared(_ facts: FileFacts) throws(FileError) {
    // Nobody gets this bit from a plain mkdir: it is there for a directory that many share.
    if facts.isSticky { throw facts.shared("is shared") }
    if let stranger = try firstStranger() { throw facts.shared("holds other files, such as '\(stranger.escaped)'") }
  }

  /// A name in the directory that this library does not give; nil when there is none.
  private func firstStranger() throws(FileError) -> String? {
    try names { !OwnFileName.isOwn($0) }.first
  }

  /// The names in the directory that fit, in no order.
  func names(where fits: (String) -> Bool = { _ in true }) throws(FileError) -> [String] {
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

  /// Makes the directory, and those above it that are missing, durable and with mode 0700 whatever
  /// the umask.
  ///
  /// One that is there is left as it is.
  func makeIfMissing() throws(FileError) {
    if let facts = try FileFacts(of: path) { return try facts.requireOwn(.directory) }
    let parent = Self.parent(of: path)
    if parent != path, access(parent, F_OK) != 0, errno == ENOENT {
      try PrivateDirectory(path: parent).makeIfMissing()
    }
    if mkdir(path, 0o700) == 0 {
      guard chmod(path, 0o700) == 0 else { throw .system(path, "cannot be made private", .current) }
      try Self.synchronize(parent)
    } else if errno != EEXIST {
      throw .system(path, "cannot be made", .current)
    }
  }

  /// Makes the directory if it is missing, and keeps others out of it.
  func create() throws(FileError) {
    try makeIfMissing()
    guard let facts = try FileFacts(of: path) else { throw .system(path, "cannot be examined", ErrorNumber(ENOENT)) }
    try facts.requireOwn(.directory)
    try keepOthersOut(facts)
  }

  /// Makes the names in the directory durable.
  func synchronize() throws(FileError) {
    try Self.synchronize(path)
  }

  func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

  /// The directory that a path lies in.
  static func parent(of path: String) -> String {
    let above = path.split(separator: "/").dropLast().joined(separator: "/")
    if path.hasPrefix("/") { return "/" + above }
    return above.isEmpty ? "." : above
  }

  private static func synchronize(_ path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened", .current) }
    defer { close(descriptor) }
    // EINVAL: a file system that cannot synchronise a directory has no more to give.
    if fsync(descriptor) != 0, errno != EINVAL { throw .system(path, "cannot be made durable", .current) }
  }
}

extension PrivateDirectory {
  /// The directory of this name, as it stands before any slash and dot at its end.
  ///
  /// With them the system would follow a symbolic link, and what is refused under one spelling
  /// would pass under the other.
  init(named name: String) {
    var bytes = name.utf8[...]
    while bytes.count > 1 {
      if bytes.last == UInt8(ascii: "/") {
        bytes = bytes.dropLast()
      } else if bytes.suffix(2).elementsEqual("/.".utf8) {
        bytes = bytes.dropLast(bytes.count == 2 ? 1 : 2)
      } else {
        break
      }
    }
    self.init(path: String(bytes) ?? name)
  }
}
