import TextFormat

#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

/// The type, owner and mode of a path, from lstat(2), with checks for a private file or directory.
package struct FileFacts {
  /// The type that a caller requires.
  package enum Expected { case file, directory }

  /// The path as given, for messages.
  package let path: String
  /// The result of lstat(2).
  package let status: stat
}

extension FileFacts {
  /// Reads the facts without following a symbolic link or opening the file.
  ///
  /// It must not open the file: closing any descriptor of a database file drops the locks that
  /// SQLite holds on it in this process (fcntl(2), "Advisory record locking").
  ///
  /// - Returns: Nil when the path does not exist.
  package init?(of path: String) throws(FileError) {
    var status = stat()
    if lstat(path, &status) != 0 {
      let error = ErrorNumber.current
      if error.code == ENOENT { return nil }
      throw .system(path, "cannot be examined", error)
    }
    self.init(path: path, status: status)
  }

  /// The permission bits, without the type.
  package var permissions: mode_t { status.st_mode & 0o7777 }
  /// The permissions in the form of chmod(1).
  package var mode: String {
    let digits = String(permissions, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
  package var isDirectory: Bool { type == S_IFDIR }
  package var isRegularFile: Bool { type == S_IFREG }
  package var isLink: Bool { type == S_IFLNK }

  private var type: mode_t { status.st_mode & S_IFMT }

  /// Whether only its owner has access.
  package var isPrivate: Bool { permissions & 0o077 == 0 }
  /// Whether its owner can read and change it.
  package var isOpenToOwner: Bool { (isDirectory ? 0o700 : 0o600) & ~permissions == 0 }
  /// Whether its group or all users can change it.
  package var isWritableByOthers: Bool { permissions & 0o022 != 0 }
  /// Whether users can delete only their own files in it, as in `/tmp`.
  package var isSticky: Bool { permissions & mode_t(S_ISVTX) != 0 }
  /// Whether a file has other names (hard links), which have the same mode.
  package var hasOtherNames: Bool { isRegularFile && status.st_nlink > 1 }
  /// Whether it belongs to the user who runs this process.
  package var isOwn: Bool { status.st_uid == geteuid() }

  /// Throws unless it is a private file or directory of this user.
  package func require(_ expected: Expected) throws(FileError) {
    try requireOwn(expected)
    guard isPrivate else { throw wrongMode("gives other users access") }
  }

  /// Throws unless it is a file or directory of this user; the mode does not matter.
  package func requireOwn(_ expected: Expected) throws(FileError) {
    guard type == (expected == .file ? S_IFREG : S_IFDIR) else {
      throw FileError(
        .wrongType, "\(path.escaped) is \(typeName), not a \(expected == .file ? "regular file" : "directory").",
        hint: hint(insteadOf: expected))
    }
    guard isOwn else {
      throw FileError(
        .wrongOwner, "\(ownership).",
        hint: expected == .directory ? Self.ownDirectory : "As root: chown \(geteuid()) \(ShellQuoting.printable(path))"
      )
    }
  }

  /// The hint for a directory that does not belong to this program.
  ///
  /// It does not suggest changing the directory, which may be `/etc`, `/tmp` or another user's
  /// home.
  package static let ownDirectory = "Choose a directory of your own that nothing else uses."

  /// A clause that names the owner of the path and the current user.
  package var ownership: String {
    "\(path.escaped) belongs to user id \(status.st_uid), and this is user id \(geteuid())"
  }

  /// The error for a wrong mode; `consequence` is the problem, as in "gives other users access".
  package func wrongMode(_ consequence: String) -> FileError {
    FileError(
      .wrongMode, "\(path.escaped) has mode \(mode), which \(consequence).",
      hint: "chmod \(isDirectory ? "700" : "600") \(ShellQuoting.printable(path))")
  }

  /// The hint for a path of the wrong type.
  ///
  /// For a symbolic link it includes the target, because moving the user's link away would lose the
  /// data.
  private func hint(insteadOf expected: Expected) -> String {
    let isForDirectory = expected == .directory
    guard isLink else {
      return isForDirectory
        ? Self.ownDirectory
        : "Move it out of the way: mv \(ShellQuoting.printable(path)) \(ShellQuoting.printable(path + ".old"))"
    }
    guard let target = realpath(path, nil) else {
      return "It leads nowhere; "
        + (isForDirectory ? "name a directory itself." : "remove the link, or choose another directory.")
    }
    defer { free(target) }
    let place = String(cString: target)
    return isForDirectory
      ? "Name the directory that it leads to instead: \(ShellQuoting.printable(place))"
      : "It leads to \(ShellQuoting.printable(place)); name the directory of that file instead: "
        + ShellQuoting.printable(PrivateDirectory.parent(of: place))
  }

  /// The error for a directory that must stay accessible to others; `reason` says why, as in "is
  /// shared".
  package func shared(_ reason: String) -> FileError {
    FileError(
      .wrongMode,
      "\(path.escaped) has mode \(mode), which gives other users access, and \(reason), so it is left as it is.",
      hint: Self.ownDirectory)
  }

  /// The target of a symbolic link; nil if the path is not one.
  package static func linkTarget(of path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    return count > 0 ? String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }

  private var typeName: String {
    switch type {
    case S_IFLNK: "a symbolic link"
    case S_IFDIR: "a directory"
    case S_IFREG: "a regular file"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    case _: "of an unknown type"
    }
  }
}
