public import AuthCore
public import AuthDevice

/// The operations that a program of accounts, sessions and payments needs from its database.
///
/// An operation on a user's data takes a lease of the user's session and the stronger key that it
/// needs, so it cannot be called without a session. It checks that the keys are of that session,
/// and presents the session's token. A key is as old as the moment it was made. So the backend
/// checks session, freshness, role and balance again, in the transaction of the effect.
///
/// Every call blocks its caller until the answer is there. Calls are safe from any thread and from
/// many processes at once. `LocalAuthority` in `AuthSQLite` is the embedded conformer, and
/// `ServiceAuthority` in `AuthService` one that connects to a service; the tests of this package
/// hold both to one contract. Outside of this package there are no others.
///
/// Unless an operation says otherwise, it throws a ``BackendError`` of kind `session` when the
/// leased session is over, and of kind `unavailable` when the database cannot answer.
public protocol Backend: Authority {
  /// The clock that measures the limits of this backend's sessions.
  var clock: any SessionClock { get }

  /// The limits of this backend's sessions; a login may ask for shorter ones.
  var policy: SessionPolicy { get }

  /// Which tokens this backend issues.
  var issuer: TokenIssuer { get }

  /// The connection to a service; nil for a backend without one, and before the first call.
  var connection: BackendConnection? { get }

  /// The label of sessions that begin here, for lists of sessions; nil for none.
  var label: String? { get }

  /// The origin of a session that begins here, for lists of sessions; read at each login.
  var origin: @Sendable () -> SessionOrigin? { get }

  /// Performs an operation; all operations go through this method.
  ///
  /// Only a backend that forwards operations to another one calls this, because inputs contain
  /// tokens. A program calls the other methods, which take a lease and check the keys.
  ///
  /// It blocks its caller until the answer is there.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - input: Its input, or a tuple of several.
  /// - Returns: Its output.
  /// - Throws: ``BackendError``; see the methods for what each throws.
  func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output

  /// Creates a source that reports changes, for screens that follow a session live.
  func changes() throws(BackendError) -> any ChangeSource
}

extension Backend {
  /// Default: no label for the sessions that begin here.
  public var label: String? { nil }

  /// Default: no origin for the sessions that begin here.
  public var origin: @Sendable () -> SessionOrigin? { { nil } }

  package func drawToken() throws(BackendError) -> SessionToken { SessionToken(bytes: try Secrets.random(count: 32)) }
}

/// The connection of a backend to its service, for people to see.
public struct BackendConnection: Hashable, Sendable {
  /// Hosts, or the path of the socket.
  public let place: String
  /// The name of the database.
  public let database: String
  /// The protocol that encrypts the connection; nil for one that stays on this machine.
  public let encryption: String?

  /// Creates the description of a connection.
  package init(place: String, database: String, encryption: String?) {
    self.place = place
    self.database = database
    self.encryption = encryption
  }

  /// How the connection is protected, in words.
  package var protection: String { encryption.map { "encrypted by \($0)" } ?? "on this machine" }
}

/// Reports that something may have changed, so that a screen reads again.
///
/// It does not say what changed. Call ``listen()``, read, and then wait until ``descriptor`` is
/// readable. A change during the read makes it readable at once, so no change is missed.
public protocol ChangeSource: AnyObject {
  /// Begins to listen, or begins again after a loss; while it listens, this does nothing.
  ///
  /// - Returns: False while there is nothing to listen to yet.
  /// - Throws: ``BackendError`` when it cannot listen.
  func listen() throws(BackendError) -> Bool

  /// What to poll for reading; -1 for nothing, which `poll` ignores.
  var descriptor: Int32 { get }

  /// The longest time to wait before the next read; nil when only a change asks for one.
  var longestWait: Duration? { get }

  /// Reads what the descriptor has.
  ///
  /// - Returns: Whether to read again.
  /// - Throws: ``BackendError`` when it cannot listen any more.
  func drain() throws(BackendError) -> Bool
}
