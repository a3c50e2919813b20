import AuthDevice
import CSQLite
import Glibc

/// The file system of SQLite for a database in an open directory.
///
/// SQLite opens each side file by its path, which another directory may have taken meanwhile. So
/// the path is that of the directory's descriptor, which SQLite's own file systems would resolve.
/// Source: sqlite.org/c3ref/vfs.html, xFullPathname.
enum DirectoryVFS {
  /// Locks each file for a transaction.
  static let shared = registered("unix")
  /// Locks each file for a process.
  static let alone = registered("unix-excl")

  /// The path of a file for SQLite, while the directory is open.
  static func path(of name: String, in directory: OpenDirectory) -> String {
    "/proc/self/fd/\(directory.descriptor)/\(name)"
  }

  /// Registers a file system that opens files with one of SQLite's, at paths as they are.
  ///
  /// - Returns: The name of the file system.
  private static func registered(_ base: String) -> String {
    guard let original = sqlite3_vfs_find(base) else { return base }
    let name = "\(base)-in-directory"
    // Deliberately leaked: SQLite uses it until the process ends.
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: original.pointee)
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.pAppData = UnsafeMutableRawPointer(original)
    // The original, which knows itself by its name.
    vfs.pointee.xOpen = { vfs, path, file, flags, result in
      guard let original = vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self) else { return SQLITE_ERROR }
      return original.pointee.xOpen(original, path, file, flags, result)
    }
    vfs.pointee.xFullPathname = { _, path, capacity, result in
      guard let path, let result, strlen(path) < Int(capacity) else { return SQLITE_CANTOPEN }
      strcpy(result, path)
      return SQLITE_OK
    }
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : base
  }
}
