package import AuthCore
package import AuthRules
package import AuthServer
package import AuthService
package import Glibc
import Programs

/// The shipped server over a rule book in this process, on a socket of its own.
package final class ServedRules: Sendable {
  /// Which database the server says that it has.
  package let identity: String
  private let folder = ShortFolder()
  private let server: AuthServer
  /// Never closed: a thread of a stopped server may still write, and would write into another file.
  private static let log = open("/dev/null", O_WRONLY | O_CLOEXEC)

  package init(_ rules: Rules, _ change: (inout ServiceLimits) -> Void = { _ in }) throws {
    identity = try ServedDatabase(rules.database).identity
    var limits = ServiceLimits(databaseThreads: 4, hashThreads: 4)
    (limits.namesOfUser, limits.stopTime) = (.max, .seconds(60))
    change(&limits)
    server = AuthServer(
      rules, identity: identity, listener: listeningSocket(at: folder.path + "/s"), limits: limits,
      pollInterval: .seconds(1), log: ServiceLog(descriptor: Self.log))
    guard server.start() else { preconditionFailure("no threads: \(errno)") }
  }

  deinit {
    precondition(server.stop(), "the server did not stop")
  }

  package var path: String { folder.path + "/s" }
  package var address: String { "unix:" + path }

  package var status: ServiceStatus { server.status }

  /// A new client of it, whose clock only answers move.
  package func authority() throws -> ServiceAuthority {
    ServiceAuthority(try ServiceAddress(address), clock: StoppedClock())
  }
}

/// A client's clock that never moves.
package struct StoppedClock: SessionClock {
  package init() {}
  package func now() throws(ClockError) -> BootInstant {
    BootInstant(boot: BootID(high: 5, low: 5), uptime: .seconds(5))
  }
  package func sleep(for duration: Duration) async throws(CancellationError) {}
}

/// A socket at a path, of this kind.
package func boundSocket(at path: String, _ kind: __socket_type) -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard sockaddr_un(path: path)?.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
    preconditionFailure("\(path): \(errno)")
  }
  return descriptor
}

/// A socket that listens at a path.
package func listeningSocket(at path: String) -> Int32 {
  let descriptor = boundSocket(at: path, SOCK_STREAM)
  guard listen(descriptor, 64) == 0 else { preconditionFailure("\(path): \(errno)") }
  return descriptor
}

/// A connection to the socket at a path; nil when nobody listens there.
package func connectedSocket(to path: String) -> Int32? { sockaddr_un(path: path)?.connectedSocket() }
