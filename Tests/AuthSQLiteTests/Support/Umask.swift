import Glibc
import Races
import Testing

/// Runs `body` on a thread that has a umask of its own.
///
/// The umask of the process stays as it is: other tests start programs meanwhile, which inherit it.
func withUmask(_ mask: mode_t, _ body: @escaping @Sendable () -> Void) async throws {
  try await onOwnThread {
    try #require(unshare?(shareOfFiles) == 0, "no umask of its own: \(errno)")
    umask(mask)
    body()
  }
}

/// `CLONE_FS` of sched.h: what a thread shares with others of umask and working directory.
private let shareOfFiles: Int32 = 0x200

/// A call of Linux that the C library declares for GNU C only.
private var unshare: (@convention(c) (Int32) -> Int32)? {
  dlsym(nil, "unshare").map { unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self) }
}
