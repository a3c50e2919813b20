import AuthBackend
import Glibc
import TextFormat

/// What lstat(2) says of a path, and whether that is what a private file or directory must be.
struct FileFacts {
  enum Expected { case file, directory }

  let path: String
  let status: stat

  /// Looks without following a symbolic link and without opening anything.
  ///
  /// Opening would not do: closing any descriptor of a database file drops the locks that SQLite
  /// holds on it in this process (fcntl(2), "Advisory record locking").
  ///
  /// - Returns: nil when there is nothing of that name.
  init?(of path: String) throws(FileError) {
    var status = stat()
    if lstat(path, &status) != 0 {
      let error = ErrorNumber.current
      if error.code == ENOENT { return nil }
      throw .system(path, "cannot be examined", error)
    }
    self.init(path: path, status: status)
  }

  init(path: String, status: stat) {
    self.path = path
    self.status = status
  }

  var permissions: mode_t { status.st_mode & 0o7777 }
  /// The permissions as chmod(1) takes them.
  var mode: String {
    let digits = String(permissions, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
  var isDirectory: Bool { type == S_IFDIR }
  var isRegularFile: Bool { type == S_IFREG }

  private var type: mode_t { status.st_mode & S_IFMT }

  /// Whether its owner alone may use it.
  var isPrivate: Bool { permissions & 0o077 == 0 }
  /// Whether its owner can do with it what this program does: look into it and change it.
  var isOpenToOwner: Bool { permissions & (isDirectory ? 0o700 : 0o600) == (isDirectory ? 0o700 : 0o600) }
  var isWritableByOthers: Bool { permissions & 0o022 != 0 }
  var isSticky: Bool { permissions & mode_t(S_ISVTX) != 0 }
  var isOwn: Bool { status.st_uid == geteuid() }

  /// Refuses what is not a private file or directory of this user.
  func require(_ expected: Expected) throws(FileError) {
    try requireOwn(expected)
    guard isPrivate else { throw wrongMode("lets others in") }
  }

  /// Refuses what is not a file or directory of this user, whatever its mode.
  func requireOwn(_ expected: Expected) throws(FileError) {
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

  /// What to do about a directory that is not this program's own.
  ///
  /// Nothing is advised that changes it: it may be `/etc`, `/tmp` or the home of somebody else.
  static let ownDirectory = "Choose a directory of your own that nothing else uses."

  /// The owner, and the user who asks.
  var ownership: String {
    "\(path.escaped) belongs to user id \(status.st_uid), and this is user id \(geteuid())"
  }

  /// The fault of a mode; `consequence` is what is wrong with it, as in "lets others in".
  func wrongMode(_ consequence: String) -> FileError {
    FileError(
      .wrongMode, "\(path.escaped) has mode \(mode), which \(consequence).",
      hint: "chmod \(isDirectory ? "700" : "600") \(ShellQuoting.printable(path))")
  }

  /// What to do where something else is than was expected.
  ///
  /// A link may be the user's own: to move it away would lose what it leads to, so its target is
  /// named.
  private func hint(insteadOf expected: Expected) -> String {
    switch expected {
    case .directory where type != S_IFLNK: return Self.ownDirectory
    case .file where type != S_IFLNK:
      return "Move it out of the way: mv \(ShellQuoting.printable(path)) \(ShellQuoting.printable(path + ".old"))"
    case .directory, .file: break
    }
    guard let target = realpath(path, nil) else {
      return "It leads nowhere; "
        + (expected == .directory ? "name a directory itself." : "remove the link, or choose another directory.")
    }
    defer { free(target) }
    let place = String(cString: target)
    return expected == .directory
      ? "Name the directory that it leads to instead: \(ShellQuoting.printable(place))"
      : "It leads to \(ShellQuoting.printable(place)); name the directory of that file instead: "
        + ShellQuoting.printable(PrivateDirectory.parent(of: place))
  }

  /// The fault of a directory that lets others in and is not to be closed to them; `reason` is why
  /// not, as in "is shared".
  func shared(_ reason: String) -> FileError {
    FileError(
      .wrongMode, "\(path.escaped) has mode \(mode), which lets others in, and \(reason), so it is left as it is.",
      hint: Self.ownDirectory)
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
