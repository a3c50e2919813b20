public import AuthBackend
public import AuthCore
import AuthDevice
import TextFormat

/// Accounts, sessions, a ledger and events in a PostgreSQL database, for many machines and many
/// people.
///
/// Every decision is made in the server, by functions that are all that a client may use; so
/// administrator is a boundary here. Passwords never leave this process: the server tells the
/// setting of a name's hash, and gets the hash. Every call blocks its caller, at most as long as
/// its limits say.
public final class PostgresBackend: Sendable {
  let server: Server
  let label: String?
  let origin: @Sendable () -> SessionOrigin?
  let hasher: PasswordHasher
  let localClock: any SessionClock
  let steps = OpenSteps<PasswordAccepted>()

  /// Creates a backend.
  ///
  /// Nothing is connected yet.
  ///
  /// - Parameters:
  ///   - address: A URI or `keyword=value` pairs, as libpq has them.
  ///   - label: What to call the sessions that begin here, in listings; nil for nothing.
  ///   - origin: Says where a session begins, for listings; asked at each login.
  /// - Throws: ``AuthBackend/BackendError`` of kind `invalid` for an address that is none, or that
  ///   holds a password.
  public convenience init(
    address: String, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil }
  ) throws(BackendError) {
    self.init(try ServerAddress(address), label: label, origin: origin)
  }

  package init(
    _ address: ServerAddress, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil },
    limits: ServerLimits = ServerLimits(), cost: PasswordCost = .standard, clock: any SessionClock = BootClock(),
    timelines: (any TimelineRecord)? = nil
  ) {
    localClock = clock
    server = Server(address: address, limits: limits, clock: ServerClock(local: clock), timelines: timelines)
    self.label = label
    self.origin = origin
    hasher = PasswordHasher(cost: cost)
  }

  /// The limits that the functions of the server give; a schema of other limits is made by changing
  /// the source.
  public var policy: SessionPolicy { .standard }

  /// The clock that limits are measured by: the server's.
  public var clock: any SessionClock { server.clock }

  /// Names the database, which is asked if it is not known yet.
  ///
  /// - Throws: ``AuthBackend/BackendError`` of kind `unavailable`.
  package func databaseName() throws(BackendError) -> String {
    Hex.text(try server.identify().bytes)
  }
}

/// A token of this backend: which database issued it, and the secret.
///
/// The token names its database, so that it is never sent to another one.
struct ServerToken {
  static let databaseLength = 16

  let database: BootID?
  let secret: [UInt8]

  init(_ token: SessionToken) {
    if token.bytes.count == Self.databaseLength + ServerSchema.tokenLength {
      database = BootID(Array(token.bytes.prefix(Self.databaseLength)))
      secret = Array(token.bytes.dropFirst(Self.databaseLength))
    } else {
      database = nil
      secret = token.bytes
    }
  }

  static func token(_ database: BootID, _ secret: [UInt8]) -> SessionToken {
    SessionToken(bytes: database.bytes + secret)
  }
}

extension PostgresBackend {
  /// Calls a function for a session, and takes its refusals of the session.
  ///
  /// - Returns: The rows: none, or those of a success or another refusal.
  func call(
    _ function: String, _ token: SessionToken, _ arguments: [Argument], _ effect: Server.Effect, key: String? = nil
  ) throws(BackendError) -> [Answer] {
    let token = ServerToken(token)
    try require(token)
    // Nothing that the server would take for a token, and it must leave its event all the same.
    guard token.secret.count == ServerSchema.tokenLength else { throw .session(.ended(.revoked)) }
    let answers = try server.call(function, [.bytes(token.secret)] + arguments, effect, key: key)
    if let first = answers.first { try take(first) }
    return answers
  }

  /// Refuses a token of another database before anything of it is sent.
  func require(_ token: ServerToken) throws(BackendError) {
    guard let issuer = token.database else { return }
    let connected = try server.identify()
    if issuer == connected { return }
    throw .unavailable(
      .unreachable, "session_of_other_database",
      "The session belongs to the database \(Hex.text(issuer.bytes)), and \(server.place) is \(Hex.text(connected.bytes)).",
      hint: "Set AUTH_CLI_AUTHORITY to its database, or use another --context. Nothing was sent or changed.")
  }

  /// Takes the time of an answer, and throws its refusal if it is one that every function can give.
  func take(_ answer: Answer) throws(BackendError) {
    guard let code = answer.text(0) else { throw server.malformed() }
    if let time = answer.number(1) { server.clock.hear(time, from: server.database) }
    switch code {
    case "not_fresh": throw .notFresh
    case "not_permitted": throw .notPermitted
    case "credentials": throw .credentialsNotAccepted
    case "two_step_required": throw .twoStepRequired
    case "two_step_already_on": throw .twoStepAlreadyOn
    case "two_step_not_begun": throw .twoStepNotBegun
    case "two_step_not_on": throw .twoStepNotOn
    case "step_wrong": throw .stepNotAccepted
    case "session_superseded": throw .session(.superseded)
    case let code where code.hasPrefix("session_"):
      if let reason = EndReason(code: String(code.dropFirst("session_".count))) { throw .session(.ended(reason)) }
    case _: break
    }
  }

  /// The grant that an answer brings.
  func grant(_ answer: Answer, secret: [UInt8]) throws(BackendError) -> Grant {
    guard answer.text(0) == "ok", let database = answer.database(3), let id = answer.text(4),
      let idle = answer.number(9),
      let absolute = answer.number(10), let fresh = answer.number(11)
    else { throw server.malformed() }
    server.heard(database)
    if let time = answer.number(1) { server.clock.hear(time, from: database) }
    func instant(_ nanoseconds: Int64) -> Deadline {
      .at(BootInstant(boot: database, uptime: .nanoseconds(nanoseconds)))
    }
    return Grant(
      id: SessionID(rawValue: id), user: try user(answer, from: 5), token: ServerToken.token(database, secret),
      limits: SessionLimits(idle: instant(idle), absolute: instant(absolute), fresh: instant(fresh)))
  }

  /// Reads number, name, display name and role from four columns.
  func user(_ answer: Answer, from column: Int) throws(BackendError) -> User {
    guard let id = answer.number(column), let name = answer.text(column + 1), let shown = answer.text(column + 2),
      let role = answer.text(column + 3).flatMap(Role.init(rawValue:))
    else { throw server.malformed() }
    return User(id: UserID(rawValue: "u\(id)"), username: name, displayName: shown, role: role)
  }
}
