package import Glibc

extension sockaddr_un {
  /// The address of a path; nil when it does not fit.
  package init?(path: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &sun_path) { buffer in
      guard bytes.count < buffer.count, !bytes.contains(0) else { return false }
      buffer.copyBytes(from: bytes)
      return true
    }
    guard fits else { return nil }
  }

  package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: self) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) } }
  }
}
