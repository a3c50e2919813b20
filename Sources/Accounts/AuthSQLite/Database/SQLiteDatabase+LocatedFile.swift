import AuthAccounts
import AuthCore
import AuthDevice
import AuthRules
import Glibc
import TextFormat

// The database file, found and checked before each use.
extension SQLiteDatabase {
  /// The database file, and the open directory that it is in.
  struct LocatedFile {
    let directory: OpenDirectory
    let facts: FileFacts

    /// Identifies the file and the directory, whatever their paths are.
    func identity() throws(BackendError) -> FileIdentity {
      do throws(FileError) {
        return FileIdentity(file: facts, directory: try directory.facts())
      } catch {
        throw BackendError(error)
      }
    }
  }

  /// Identifies a file and its directory, whatever their paths are.
  struct FileIdentity: Hashable {
    private let (file, device): (ino_t, dev_t)
    private let (directory, directoryDevice): (ino_t, dev_t)

    init(file: FileFacts, directory: FileFacts) {
      (self.file, device) = (file.status.st_ino, file.status.st_dev)
      (self.directory, directoryDevice) = (directory.status.st_ino, directory.status.st_dev)
    }
  }

  /// The file, which only its owner can access, in a directory that no other user can change; a
  /// writer makes the directory private.
  func locate(_ scope: WriteScope?) throws(BackendError) -> LocatedFile {
    let name = DatabaseFileName.file
    do throws(FileError) {
      guard let directory = scope == .creation ? try directory.create() : try directory.opened() else {
        throw .system(path, "cannot be opened", ErrorNumber(ENOENT))
      }
      if let found = try scope == nil ? directory.find(name) : directory.secure(for: name) {
        for suffix in DatabaseFileName.sideFileSuffixes {
          guard let facts = try directory.facts(of: name + suffix) else { continue }
          if !(try checked(name + suffix, facts, in: directory)).isOpenToOwner {
            throw facts.wrongMode("keeps its owner out")
          }
        }
        return LocatedFile(directory: directory, facts: try checked(name, found, in: directory))
      }
      if scope == .creation {
        try directory.create(name, mayExist: true)
        try directory.synchronize()
        try directory.synchronizeEntry()
        if let made = try directory.facts(of: name) {
          return LocatedFile(directory: directory, facts: try checked(name, made, in: directory))
        }
      }
    } catch {
      if error.kind != .missing || scope == .creation { throw BackendError(error) }
    }
    throw .unavailable(.databaseMissing, path.escaped, "does not exist")
  }

  private func checked(
    _ name: String, _ facts: FileFacts, in directory: OpenDirectory
  ) throws(FileError) -> FileFacts {
    try facts.require(.file)
    guard facts.permissions == 0, facts.status.st_size == 0 else { return facts }
    // Killed between open and fchmod under a umask of 777: finish what was begun.
    try directory.makePrivate(name)
    return try directory.facts(of: name) ?? facts
  }
}
