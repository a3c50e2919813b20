import Glibc

/// An error number of the operating system.
package struct ErrorNumber: Hashable, Sendable {
  package let code: Int32

  package init(_ code: Int32) {
    self.code = code
  }

  package static var current: ErrorNumber { ErrorNumber(errno) }

  /// The system's own words for it.
  package var explanation: String {
    var text = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// No room: the device, the quota or the size limit of a file.
  package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}
