#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An error number of the operating system.
package struct ErrorNumber: Hashable, Sendable {
  package let code: Int32

  package init(_ code: Int32) { self.code = code }

  package static var current: ErrorNumber { ErrorNumber(errno) }

  /// The system's message, with the limit if one was reached.
  package var explanation: String {
    code == EMFILE ? "\(words) (at most \(sysconf(Int32(_SC_OPEN_MAX))), see ulimit -n)" : words
  }

  /// Whether this process or the system has no file descriptor left.
  package var isOfDescriptors: Bool { code == EMFILE || code == ENFILE }

  /// The hint when no file descriptor is left.
  package static let moreDescriptors = "Allow more open files, such as with: ulimit -n 1024"

  private var words: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
      return String(cString: start)
    }
  }

  /// Whether the device, the quota or the size limit of a file is reached.
  package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}
