import AuthAccounts
import AuthDevice
import AuthMessages
import AuthService
import CommandLineKit
import Glibc
import TextFormat

/// A Unix socket that listens, and its place in the file system.
struct ListeningSocket: Sendable {
  let descriptor: Int32
  /// The path; nil for a socket of systemd's.
  let path: String?
}

extension ListeningSocket {
  /// Takes a socket that systemd listens on for this process.
  ///
  /// Source: sd_listen_fds(3).
  static func inherited(named name: String) -> ListeningSocket? {
    guard Environment.value("LISTEN_PID") == String(getpid()),
      let count = Environment.value("LISTEN_FDS").flatMap(Int.init)
    else { return nil }
    let names = (Environment.value("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    guard let index = names.firstIndex(of: name[...]), index < count else { return nil }
    // The first one has the number 3.
    return ListeningSocket(descriptor: Int32(3 + index), path: nil)
  }

  /// Creates a socket in a directory where nobody else may write.
  ///
  /// A socket that a process left behind when it was killed is replaced, if it belongs to this user
  /// and nobody listens on it.
  ///
  /// - Parameters:
  ///   - path: Where; at most 107 bytes.
  ///   - mode: Who may connect.
  ///   - group: The group that may, if its members may.
  /// - Throws: ``CommandError`` when others may write there, or something else is there.
  init(at path: String, mode: mode_t, group: gid_t? = nil) throws(CommandError) {
    try Self.checkDirectory(of: path)
    guard let address = sockaddr_un(path: path) else {
      throw Self.failed(path, "its path is longer than 107 bytes")
    }
    if let old = try Self.facts(path) {
      let elsewhere = "Stop the other service, or choose another path."
      guard old.isSocket, old.isOwn else { throw Self.failed(path, "something else is there", hint: elsewhere) }
      guard !address.isAnswered else { throw Self.failed(path, "another service listens there", hint: elsewhere) }
      unlink(path)
    }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.path = path
    // No client can connect before the mode is set.
    let mask = umask(0o777)
    let isBound = address.withPointer { bind(descriptor, $0, $1) } == 0
    let error = ErrorNumber.current
    umask(mask)
    guard isBound else {
      throw error.code == EACCES
        ? Self.failed(
          path, "this user may not write to its directory",
          hint: "Give the directory to the user of the service, or choose another path with --socket or --operators.")
        : Self.failed(path, error.explanation)
    }
    if let group, chown(path, uid_t.max, group) != 0 {
      throw Self.failed(
        path, "its group cannot be set: \(ErrorNumber.current.explanation)",
        hint: "Name a group that this user belongs to with --group; only root may name any.")
    }
    // So many clients may wait to be accepted.
    guard chmod(path, mode) == 0, listen(descriptor, 128) == 0 else {
      throw Self.failed(path, ErrorNumber.current.explanation)
    }
  }

  /// Removes a socket of its own from the file system.
  func remove() {
    if let path { unlink(path) }
  }

  private static func checkDirectory(of path: String) throws(CommandError) {
    // With the slash, a link to a directory counts as a directory.
    guard let facts = try facts(PrivateDirectory.parent(of: path) + "/") else {
      throw failed(path, "its directory does not exist")
    }
    guard facts.isDirectory, facts.isOwn || facts.status.st_uid == 0, !facts.isWritableByOthers else {
      let isForeign = !facts.isOwn && facts.status.st_uid != 0
      throw failed(path, "others may write to its directory (\(isForeign ? facts.ownership : "mode \(facts.mode)"))")
    }
  }

  private static func facts(_ path: String) throws(CommandError) -> FileFacts? {
    do throws(FileError) { return try FileFacts(of: path) } catch { throw CommandError(BackendError(error)) }
  }

  private static func failed(
    _ path: String, _ reason: String,
    hint: String = "Choose a directory that belongs to root or to the user of the service, with mode 0755 or less."
  ) -> CommandError {
    CommandError(.cannotTell, saying: "the socket \(path.escaped) cannot be created: \(reason)", hint: hint)
  }
}

extension FileFacts {
  fileprivate var isSocket: Bool { status.st_mode & S_IFMT == S_IFSOCK }
}

extension sockaddr_un {
  /// Whether somebody listens there.
  fileprivate var isAnswered: Bool {
    guard let probe = connectedSocket() else { return false }
    close(probe)
    return true
  }
}
