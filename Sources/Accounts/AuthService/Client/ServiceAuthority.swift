public import AuthAccounts
public import AuthCore
public import AuthDevice
import ConcurrencyKit

/// Accounts, sessions, a ledger and events in a service, on this machine or on one that ssh
/// reaches.
///
/// Only the service touches the database, so administrator is a boundary here. Passwords go to the
/// service, which hashes them. Every call blocks its caller, at most as long as its limits say.
public final class ServiceAuthority: Backend {
  let address: ServiceAddress
  let limits: ClientLimits
  let serverClock: ServerClock
  /// The label of sessions that begin here.
  public let label: String?
  /// The origin of a session that begins here.
  public let origin: @Sendable () -> SessionOrigin?
  /// Held until a request is answered: one that needs a password hash, and any other one.
  ///
  /// So a look at the session never waits for a password, which may take minutes behind a queue.
  let (hashTurn, turn) = (Turn(), Turn())
  let links = Locked(Links())
  /// The session that was last begun or found, without a new token that may not be saved yet.
  let found = Locked<(session: Grant?, changes: Int)>((nil, 0))
  /// The hello of the service, and which of several hosts answered.
  ///
  /// Kept when the connection is lost: the service that comes back must have the same database.
  let known = Locked<(hello: ServiceHello, place: String)?>(nil)

  /// Requests of one kind, one after the other.
  final class Turn: Sendable {
    private let lock = Locked(())

    func take<Output: Sendable>(_ body: () throws(BackendError) -> Output) throws(BackendError) -> Output {
      try lock.withLock { (_) throws(BackendError) in try body() }
    }
  }

  /// The open connections: one, or two once two requests were under way together.
  struct Links {
    var idle: [ServiceLink] = []
    /// Requests that wait for their answer.
    var busy = 0
    /// The number of the last request.
    var number: UInt32 = 0
  }

  /// Creates an authority; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - address: `unix:PATH`, or `ssh://[user@]host[:port][/socket]` with several hosts between
  ///     commas, which are tried in order.
  ///   - label: The label of sessions that begin here, for lists of sessions; nil for none.
  ///   - origin: Returns the origin of a session, for lists of sessions; read at each login.
  /// - Throws: ``AuthAccounts/BackendError`` of kind `invalid` for an address that is none.
  public convenience init(
    address: String, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil }
  ) throws(BackendError) {
    self.init(try ServiceAddress(address), label: label, origin: origin)
  }

  /// - Parameters:
  ///   - address: Where the service is.
  ///   - limits: How long to wait, for what.
  ///   - clock: The clock of this machine.
  ///   - label: What to call the sessions that begin here.
  ///   - origin: Says where a session begins.
  package init(
    _ address: ServiceAddress, limits: ClientLimits = ClientLimits(), clock: any SessionClock = BootClock(),
    label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil }
  ) {
    self.address = address
    self.limits = limits
    self.label = label
    self.origin = origin
    serverClock = ServerClock(local: clock)
  }

  /// The clock of the database, as the service last told it.
  ///
  /// It connects where nothing was asked yet.
  public var clock: any SessionClock { ServiceClock(service: self) }

  /// The limits of its sessions, as the service told them.
  public var policy: SessionPolicy { hello?.policy ?? .standard }

  /// A session file names the database.
  public var issuer: TokenIssuer { .server }

  /// The service; nil before the first request.
  public var connection: BackendConnection? {
    known.withLock { $0 }.map { known in
      let encryption: String? = if case .ssh = address { "ssh" } else { nil }
      return BackendConnection(place: known.place, database: known.hello.database, encryption: encryption)
    }
  }

  /// Reports what changes for the account of the session, on a connection of its own.
  public func changes() -> any ChangeSource { ServiceChanges(self) }
}

/// The clock of a service's database.
private struct ServiceClock: SessionClock {
  let service: ServiceAuthority

  func now() throws(ClockError) -> BootInstant {
    do throws(BackendError) {
      try service.greet()
    } catch {
      throw ClockError(error.description, hint: error.asUnavailability.hint)
    }
    return try service.serverClock.now()
  }

  func sleep(for duration: Duration) async throws(CancellationError) {
    try await service.serverClock.sleep(for: duration)
  }
}
