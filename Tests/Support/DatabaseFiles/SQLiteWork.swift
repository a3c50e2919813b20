import CSQLite
import Glibc

/// Counts what SQLite does on a thread: the instructions of its statements, of which each row that
/// a statement walks takes a few.
///
/// It counts on connections that are opened after ``start()``.
package enum SQLiteWork {
  /// Has every connection from now on count.
  package static func start() { _ = isCounting }

  /// Runs `body`, and returns how many instructions SQLite ran for it on this thread.
  package static func count(_ body: () throws -> Void) rethrows -> Int {
    let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    count.initialize(to: 0)
    pthread_setspecific(key, count)
    defer {
      pthread_setspecific(key, nil)
      count.deallocate()
    }
    try body()
    return count.pointee
  }

  private static let key = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private typealias EntryPoint = @convention(c) () -> Void
  private typealias Opened = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Int32

  private static let isCounting: Bool = {
    _ = key
    let opened: Opened = { handle, _, _ in
      sqlite3_progress_handler(
        handle, 1,
        { _ in
          if let count = pthread_getspecific(SQLiteWork.key) { count.assumingMemoryBound(to: Int.self).pointee += 1 }
          return 0
        }, nil)
      return SQLITE_OK
    }
    // SQLite calls an extension with the connection, whatever its type says.
    return sqlite3_auto_extension(unsafeBitCast(opened, to: EntryPoint.self)) == SQLITE_OK
  }()
}
