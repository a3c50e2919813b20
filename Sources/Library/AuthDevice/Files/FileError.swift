package import AuthCore
package import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The error of a file or directory that cannot be used: in a vault or elsewhere on this device.
package typealias FileError = VaultError

extension FileError {
  /// The class of the error, with a stable name for programs.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It does not exist.
    case missing = "file_missing"
    /// It has another type, such as a symbolic link in place of a file.
    case wrongType = "file_wrong_type"
    /// It belongs to another user.
    case wrongOwner = "file_wrong_owner"
    /// Other users have access.
    case wrongMode = "file_wrong_mode"
    /// The system refused access.
    case denied = "file_permission_denied"
    /// The disk, the quota or the file size limit is reached.
    case noSpace = "disk_full"
    /// It is on a read-only file system.
    case readOnly = "file_read_only"
    /// Any other system error.
    case system = "file_error"

    /// What the code means, as a clause.
    package var meaning: String {
      switch self {
      case .missing: "a file is missing"
      case .wrongType: "not a regular file"
      case .wrongOwner: "a file belongs to another user"
      case .wrongMode: "other users may use a file"
      case .denied: "the permissions of a file do not allow its use"
      case .noSpace: "the disk is full"
      case .readOnly: "a file is on a read-only file system"
      case .system: "the system reported another error for a file"
      }
    }
  }

  package init(_ kind: Kind, _ description: String, hint: String) {
    self.init(description, hint: hint, code: kind.rawValue)
  }

  /// The class of the error; nil for the error of another vault.
  package var kind: Kind? { Kind(rawValue: code) }

  /// Creates the error of a system call on `path`; `action` says what failed, as in "cannot be
  /// opened".
  package static func system(_ path: String, _ action: String, _ error: ErrorNumber) -> FileError {
    let name = path.escaped
    let what = "\(name) \(action): \(error.explanation)."
    return switch error.code {
    case ENOENT: FileError(.missing, what, hint: "Check the path.")
    case EACCES, EPERM: denied(path, "\(name) \(action): \(error.explanation)")
    case EROFS: FileError(.readOnly, what, hint: "Make the file system writable, or choose another directory.")
    case ENAMETOOLONG: FileError(.system, what, hint: "Choose a shorter path; nothing was changed.")
    case _ where error.isNoSpace: FileError(.noSpace, what, hint: "Make room, then try again.")
    case ENOLCK, EOPNOTSUPP, ENOSYS:
      FileError(.system, what, hint: "Choose a directory on a file system that has locks, such as a local disk.")
    case _ where error.isOfDescriptors: FileError(.system, what, hint: ErrorNumber.moreDescriptors)
    case _: FileError(.system, what, hint: "Try again; nothing was changed.")
    }
  }

  /// Describes refused access by the owner or mode of the file, or of the nearest directory above
  /// it that explains the refusal.
  private static func denied(_ path: String, _ what: String) -> FileError {
    var status = stat()
    if lstat(path, &status) == 0 {
      let facts = FileFacts(path: path, status: status)
      if !facts.isOwn { return FileError(.denied, "\(what); \(facts.ownership).", hint: FileFacts.ownDirectory) }
      if !facts.isOpenToOwner {
        return FileError(
          .denied, "\(what); \(path.escaped) has mode \(facts.mode).",
          hint: "chmod u+\(facts.isDirectory ? "rwx" : "rw") \(ShellQuoting.printable(path))")
      }
    }
    let above = PrivateDirectory.parent(of: path)
    if above != path { return denied(above, what) }
    return FileError(.denied, "\(what).", hint: "Check the permissions on the way to it.")
  }

  /// The cause of an `Unavailability` that this error leads to.
  package var cause: Unavailability.Cause {
    switch kind {
    case .missing, .wrongType, .wrongOwner, .wrongMode, .denied: .unreachable
    case .noSpace, .readOnly: .unwritable
    case .system, nil: .unreadable
    }
  }
}
