package import AuthBackend
import Glibc

/// Where this process runs, for the list of sessions.
package enum OwnOrigin {
  /// The terminal, the program, and the host that the terminal belongs to.
  ///
  /// `SSH_CONNECTION` is set by sshd(8). Anybody can set it, so this helps to recognise a session
  /// and proves nothing.
  @Sendable package static func find() -> SessionOrigin? {
    SessionOrigin(terminal: terminal, program: program, host: host)
  }

  private static var terminal: String? {
    for descriptor in [STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO] {
      var name = [CChar](repeating: 0, count: 64)
      guard ttyname_r(descriptor, &name, name.count) == 0 else { continue }
      let path = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      return plain(path.starts(with: "/dev/".utf8) ? path.dropFirst("/dev/".utf8.count) : path[...])
    }
    return nil
  }

  private static var program: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return nil }
    return path.prefix(count).map(UInt8.init(bitPattern:)).split(separator: UInt8(ascii: "/")).last.flatMap(plain)
  }

  private static var host: String? {
    guard let value = getenv("SSH_CONNECTION") else { return nil }
    return String(cString: value).utf8.split(separator: UInt8(ascii: " ")).first.flatMap { plain(Array($0)[...]) }
  }

  /// The text, if all of it can be shown as it is.
  private static func plain(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
