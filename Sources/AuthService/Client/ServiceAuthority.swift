public import AuthBackend
public import AuthCore
public import AuthDevice

/// Accounts, sessions, a ledger and events in a service, on this machine or on one that ssh
/// reaches.
///
/// Only the service touches the database, so administrator is a boundary here. Passwords go to the
/// service, which hashes them. Every call blocks its caller, at most as long as its limits say.
public final class ServiceAuthority: Backend {
  private let service: ServiceConnection
  /// What to call the sessions that begin here.
  public let label: String?
  /// Where a session begins.
  public let origin: @Sendable () -> SessionOrigin?

  /// Creates an authority; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - address: `unix:PATH`, or `ssh://[user@]host[:port][/socket]` with several hosts between
  ///     commas, which are tried in order.
  ///   - label: What to call the sessions that begin here, in listings; nil for nothing.
  ///   - origin: Says where a session begins, for listings; read at each login.
  /// - Throws: ``AuthBackend/BackendError`` of kind `invalid` for an address that is none.
  public convenience init(
    address: String, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil }
  ) throws(BackendError) {
    self.init(ServiceConnection(try ServiceAddress(address)), label: label, origin: origin)
  }

  package init(
    _ service: ServiceConnection, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil }
  ) {
    self.service = service
    self.label = label
    self.origin = origin
  }

  /// Asks the service.
  public func perform(_ request: BackendRequest) throws(BackendError) -> BackendAnswer { try service.perform(request) }

  /// The service is another program, so it may not have done what was asked.
  public func misread(_ request: BackendRequest) -> BackendError { service.misread(request) }

  /// The clock of the database, as the service last told it.
  ///
  /// It connects where nothing was asked yet.
  public var clock: any SessionClock { ServiceClock(service: service) }

  /// The limits of its sessions, as the service told them.
  public var policy: SessionPolicy { service.hello?.policy ?? .standard }

  /// A session file names the database.
  public var issuer: TokenIssuer { .server }

  /// The service; nil before the first request.
  public var connection: BackendConnection? {
    service.hello.map { hello in
      let encryption: String? = if case .ssh = service.address { "ssh" } else { nil }
      return BackendConnection(place: service.address.place, database: hello.database, encryption: encryption)
    }
  }

  /// Reports what changes for the account of the session, on a connection of its own.
  public func changes() -> any ChangeSource { ServiceChanges(service) }
}

/// The clock of a service's database.
private struct ServiceClock: SessionClock {
  let service: ServiceConnection

  func now() throws(ClockError) -> BootInstant {
    do throws(BackendError) {
      try service.greet()
    } catch {
      throw ClockError(error.description, hint: error.asUnavailability.hint)
    }
    return try service.clock.now()
  }

  func sleep(for duration: Duration) async throws(CancellationError) { try await service.clock.sleep(for: duration) }
}
