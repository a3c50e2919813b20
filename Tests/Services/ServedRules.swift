package import AuthBackend
package import AuthService
import Glibc

/// The shipped server over a rule book in this process, on a socket of its own.
package final class ServedRules: Sendable {
  package let path: String
  /// Which database the server says that it has.
  package let identity: String
  private let server: AuthServer
  private let log: Int32

  package init(_ rules: Rules) throws {
    var template = Array("/tmp/auth-served-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp failed: \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) + "/s"
    identity = try ServedDatabase(rules.database).identity
    log = open("/dev/null", O_WRONLY | O_CLOEXEC)
    server = AuthServer(
      rules, identity: identity, listener: Self.listen(at: path),
      limits: ServiceLimits(databaseThreads: 4, hashThreads: 4), looksEvery: .seconds(1),
      log: ServiceLog(descriptor: log))
    guard server.start() else { preconditionFailure("no threads: \(errno)") }
  }

  deinit {
    precondition(server.stop(), "the server did not stop")
    close(log)
    unlink(path)
    rmdir(String(path.dropLast(2)))
  }

  package var address: String { "unix:" + path }

  /// A new client of it.
  package func authority() throws -> ServiceAuthority { try ServiceAuthority(address: address) }

  /// A socket that listens at a path.
  package static func listen(at path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, Glibc.listen(descriptor, 64) == 0 else { preconditionFailure("\(path): \(errno)") }
    return descriptor
  }
}
