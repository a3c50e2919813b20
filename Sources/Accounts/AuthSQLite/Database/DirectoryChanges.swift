package import AuthAccounts
import AuthCore
import AuthDevice
import Glibc
import TextFormat

/// Reports that some files of a directory may have changed, without polling.
///
/// The events come from inotify. The kernel queues them between two reads, so none is lost.
package final class DirectoryChanges: ChangeSource {
  private let directory: String
  private let isRelevant: (_ file: String, _ isOnlyAttributes: Bool) -> Bool
  package let descriptor: Int32
  private var watch: Int32?
  package var longestWait: Duration? { nil }

  /// Creates a source, which does not watch anything yet.
  ///
  /// - Parameters:
  ///   - directory: The directory of the files.
  ///   - isRelevant: Whether a change of the file with this name matters, even if only its mode or
  ///     owner changed.
  /// - Throws: `BackendError` of kind `unavailable` when the kernel cannot create another source.
  package init(
    _ directory: String, isRelevant: @escaping (_ file: String, _ isOnlyAttributes: Bool) -> Bool
  ) throws(BackendError) {
    self.directory = directory
    self.isRelevant = isRelevant
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw Self.failure("changes", errno, limit: "max_user_instances") }
  }

  deinit {
    close(descriptor)
  }

  package func listen() throws(BackendError) -> Bool {
    if watch != nil { return true }
    let added = inotify_add_watch(descriptor, directory, Self.changes)
    if added < 0 {
      if errno == ENOENT { return false }
      throw Self.failure(directory.escaped, errno, limit: "max_user_watches")
    }
    watch = added
    return true
  }

  /// Whether the directory is there now; ``listen()`` knows only what ``drain()`` has read.
  package var isThere: Bool { access(directory, F_OK) == 0 || errno != ENOENT }

  /// Reads the events of the kernel.
  ///
  /// An overflow counts as a change, because events were lost. So does the deletion of the
  /// directory.
  package func drain() throws(BackendError) -> Bool {
    var isAny = false
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EAGAIN { return isAny }
        if errno == EINTR { continue }
        throw Self.failure("changes", errno)
      }
      var offset = 0
      while offset < count {
        let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
        if event.mask & Self.losses != 0 { forget(event.wd) }
        let start = offset + MemoryLayout<inotify_event>.size
        offset = start + Int(event.len)
        let name = buffer[start..<offset].prefix { $0 != 0 }
        let isOnlyAttributes = event.mask == UInt32(IN_ATTRIB)
        if name.isEmpty || isRelevant(String(decoding: name, as: UTF8.self), isOnlyAttributes) { isAny = true }
      }
    }
  }

  /// Stops watching a directory that was deleted or renamed; its path may now lead to another
  /// directory.
  private func forget(_ lost: Int32) {
    guard lost == watch else { return }
    watch = nil
    inotify_rm_watch(descriptor, lost)
  }

  /// Changes of content, presence and mode.
  ///
  /// This excludes closing a file after writing, because readers also open the database for
  /// writing.
  private static let changes =
    UInt32(IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_ONLYDIR) | losses
  private static let losses = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

  /// The error of a call, with the limit of the kernel that the call reached, if it did.
  ///
  /// Source: inotify_init(2) and inotify_add_watch(2), "ERRORS"; inotify(7), "/proc interfaces".
  private static func failure(_ what: String, _ number: Int32, limit: String? = nil) -> BackendError {
    guard let limit, number == EMFILE || number == ENOSPC, hasFreeDescriptor else {
      return .unavailable(.watchFailed, what, ErrorNumber(number).explanation)
    }
    return .unavailable(
      .watchFailed, what, "this user's programs have as many already as the setting fs.inotify.\(limit) allows")
  }

  /// Whether this process may open another file: EMFILE is also the error of its own limit.
  private static var hasFreeDescriptor: Bool {
    let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
    close(probe)
    return probe >= 0
  }
}

extension SQLiteDatabase {
  /// Reports that the database may have changed.
  func changes() throws(BackendError) -> any ChangeSource {
    try DirectoryChanges(directory.path) { file, isOnlyAttributes in
      // As root, SQLite sets the owner of a journal at every read, so every read would cause the
      // next one.
      let database = DatabaseFileName.file
      return file == database || file.hasPrefix(database) && !isOnlyAttributes
    }
  }
}
