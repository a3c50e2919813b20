import AuthBackend
import Glibc

/// What lstat(2) says of a path, and whether that is what a private file or directory must be.
struct FileFacts {
  enum Expected { case file, directory }

  let path: String
  let status: stat

  /// Looks without following a symbolic link and without opening anything.
  ///
  /// Opening would not do: closing any descriptor of a database file drops the locks that SQLite holds on it in this
  /// process (fcntl(2), "Advisory record locking").
  ///
  /// - Returns: nil when there is nothing of that name.
  init?(of path: String) throws(FileFault) {
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
  func require(_ expected: Expected) throws(FileFault) {
    try requireOwn(expected)
    guard isPrivate else { throw wrongMode("lets others in") }
  }

  /// Refuses what is not a file or directory of this user, whatever its mode.
  func requireOwn(_ expected: Expected) throws(FileFault) {
    guard type == (expected == .file ? S_IFREG : S_IFDIR) else {
      throw FileFault(
        .wrongType, "\(path.printable) is \(typeName), not a \(expected == .file ? "regular file" : "directory").",
        hint: expected == .directory && type == S_IFLNK
          ? instead : "Move it out of the way: mv \(path.shellWord) \((path + ".old").shellWord)")
    }
    guard isOwn else {
      throw FileFault(.wrongOwner, "\(ownership).", hint: "As root: chown \(geteuid()) \(path.shellWord)")
    }
  }

  /// Whose it is, and who asks.
  var ownership: String {
    "\(path.printable) belongs to user id \(status.st_uid), and this is user id \(geteuid())"
  }

  /// The fault of a mode; `consequence` is what is wrong with it, as in "lets others in".
  func wrongMode(_ consequence: String) -> FileFault {
    FileFault(
      .wrongMode, "\(path.printable) has mode \(mode), which \(consequence).",
      hint: "chmod \(isDirectory ? "700" : "600") \(path.shellWord)")
  }

  /// What to name in place of a link, which may be the user's own and lead to what they mean.
  private var instead: String {
    guard let target = realpath(path, nil) else { return "It leads nowhere; name a directory itself." }
    defer { free(target) }
    return "Name the directory that it leads to instead: \(String(cString: target).shellWord)"
  }

  /// The fault of a directory that lets others in and is not to be closed to them; `reason` is why not, as in "is shared".
  func shared(_ reason: String) -> FileFault {
    FileFault(
      .wrongMode, "\(path.printable) has mode \(mode), which lets others in, and \(reason), so it is left as it is.",
      hint: isSticky
        ? "Choose a directory of its own."
        : "Choose a directory of its own; or, if nobody else needs this one, close it: chmod 700 \(path.shellWord)")
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
