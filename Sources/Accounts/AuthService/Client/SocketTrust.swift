import AuthAccounts
import AuthDevice
import Glibc
import TextFormat

/// Whether a socket is the service's: a password that is sent to another user's is lost.
///
/// The directories of its path, and the process that listens, must belong to root, to the caller or
/// to the user `auth-cli`, and no other user may write there.
struct SocketTrust {
  let path: String

  /// The user that a service runs as.
  private static let serviceUser = "auth-cli"
  private static let mostLinks = 40

  /// Checks every directory of the path, and of the links in it.
  func check() throws(BackendError) {
    var links = 0
    try check(path, &links)
  }

  /// Checks the user of the process that listens.
  func check(peer descriptor: Int32) throws(BackendError) {
    let user = Peer(of: descriptor)?.caller.user
    guard let user, isTrusted(user) else { throw failure("is served by user id \(user ?? .max)", path) }
  }

  /// Checks a place after the directory that it is in; for a link, also what it leads to.
  private func check(_ place: String, _ links: inout Int) throws(BackendError) {
    let directory = PrivateDirectory.parent(of: place)
    if place != "/" { try check(directory, &links) }
    var status = stat()
    guard lstat(place, &status) == 0 else { throw missing(place) }
    guard isTrusted(status.st_uid) else { throw failure("belongs to user id \(status.st_uid)", place) }
    switch status.st_mode & S_IFMT {
    case S_IFLNK:
      links += 1
      if links > Self.mostLinks { throw failure("has too many symbolic links", place) }
      guard let target = FileFacts.linkTarget(of: place) else { throw missing(place) }
      try check(target.hasPrefix("/") ? target : directory + "/" + target, &links)
    case S_IFDIR:
      // In a sticky directory, users can replace only their own files.
      let isOpen = status.st_mode & 0o022 != 0 && status.st_mode & mode_t(S_ISVTX) == 0
      if isOpen { throw failure("can be changed by other users", place) }
    // Permission to write to a socket is permission to connect, and no more.
    case _: break
    }
  }

  private func isTrusted(_ user: uid_t) -> Bool {
    user == 0 || user == geteuid() || user == Self.serviceUserID()
  }

  /// The id of the user, from the file: asking for it by a call would load libraries.
  private static func serviceUserID() -> uid_t? {
    guard let file = fopen("/etc/passwd", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let fields = text.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > 2, fields[0] == serviceUser { return uid_t(fields[2]) }
    }
    return nil
  }

  private func missing(_ place: String) -> BackendError {
    let error = ErrorNumber.current
    return .unavailable(
      error.code == EACCES ? .serviceNotPermitted : .serviceUnreachable, path.escaped,
      "\(place == path ? "" : place.escaped + ": ")\(error.explanation)")
  }

  private func failure(_ reason: String, _ place: String) -> BackendError {
    .unavailable(.serviceUntrusted, path.escaped, "\(place.escaped) \(reason)")
  }
}
