package import Glibc

extension sockaddr_un {
  /// The absolute path of a socket that listens; empty for one without a path.
  package static func path(of listener: Int32) -> String {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
    }
    guard result == 0 else { return "" }
    let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
    guard let whole = realpath(String(decoding: bytes, as: UTF8.self), nil) else { return "" }
    defer { free(whole) }
    return String(cString: whole)
  }

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

  /// Connects a new socket to the address.
  ///
  /// - Parameter limit: The longest wait while the queue of the listener is full; nil has no limit.
  /// - Returns: Its descriptor; nil, with `errno`, when it cannot be connected.
  package func connectedSocket(within limit: Duration? = nil) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let (seconds, attoseconds) = (limit ?? .zero).components
    var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    while withPointer({ connect(descriptor, $0, $1) }) != 0 {
      let error = errno
      if error == EINTR { continue }
      close(descriptor)
      errno = error
      return nil
    }
    return descriptor
  }

  package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: self) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) } }
  }
}
