import AuthBackend
import Glibc
import Synchronization

@testable import AuthService

/// A service between the client and auth-service, which kills auth-service when it has answered one
/// request and before the client hears of it.
final class KillingService: Sendable {
  private let real: RunningService
  private let inner: ServiceConnection
  private let isMeant: @Sendable (BackendRequest) -> Bool
  private let killed = Mutex<UInt>(0)

  init(_ real: RunningService, at isMeant: @escaping @Sendable (BackendRequest) -> Bool) {
    self.real = real
    self.isMeant = isMeant
    inner = ServiceConnection(.unix(real.socket))
  }

  /// How often the request was killed.
  var kills: UInt { killed.withLock { $0 } }

  /// The client's way through it.
  func authority() throws -> (TestService, ServiceAuthority) {
    try inner.greet()
    guard let hello = inner.hello else { throw WireFault.invalid("first message") }
    let service = TestService(inner.perform, hello: hello) { [self] request in
      guard isMeant(request), kills == 0 else { return false }
      real.end(SIGKILL)
      do { try real.start() } catch { preconditionFailure("\(error)") }
      killed.withLock { $0 += 1 }
      return true
    }
    return (service, service.authority())
  }
}
