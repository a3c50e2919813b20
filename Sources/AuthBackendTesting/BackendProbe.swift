import AuthBackend
import AuthCore
import AuthCoreTesting

typealias Answer<Value> = Result<Value, BackendError>

/// Calls a backend, and turns unexpected answers into breaches.
struct BackendProbe: AuthorityProbe {
  static let passwords = [
    BackendContract.administrator.username: BackendContract.administrator.password,
    "bob": Secret("another good passphrase"), "carol": Secret("three walnuts under snow"),
  ]
  static let wrongPassword = Secret("not the right password")
  static let newPassword = Secret("a quite new passphrase")
  static let wrongCode = RecoveryCode(typed: Array("00000-00000-00000-00000-00000".utf8))

  let subject: BackendContract.Subject

  var backend: any Backend { subject.backend }
  var authority: any Authority { backend }

  /// The password of an account; a wrong one for a name that the contract does not know.
  static func password(of name: String) -> Secret { passwords[name] ?? wrongPassword }

  static func credentials(_ name: String, _ password: Secret? = nil) -> Credentials {
    .password(username: name, password: password ?? Self.password(of: name))
  }

  func answer<Value>(_ operation: () throws -> Value) throws -> Answer<Value> {
    do {
      return .success(try operation())
    } catch let error as BackendError {
      return .failure(error)
    }
  }

  @discardableResult
  func register(_ name: String, as other: String? = nil) throws -> User {
    if let administrator = subject.administrator, administrator.username == name { return administrator }
    guard let password = Self.passwords[other ?? name] else { throw Breach("the contract has no password of \(name)") }
    return try registration(of: name, password).value("register of \(name)")
  }

  func registration(of name: String, _ password: Secret, shownAs displayName: String? = nil) throws -> Answer<User> {
    try answer { try backend.register(username: name, password: password, displayName: displayName) }
  }

  func check(newUsername name: String) throws -> Answer<Void> {
    try answer { try backend.check(newUsername: name) }
  }

  /// Registers alice, the administrator, and bob, and logs both in.
  func both() async throws -> (alice: Login, bob: Login) {
    try register("alice")
    try register("bob")
    return (try await logIn("alice"), try await logIn("bob"))
  }

  /// Logs in through a new store, which creates the keys.
  ///
  /// With `elevated`, the keys claim the administrator role, whatever the backend answers. A
  /// challenge is answered with `answer`.
  func logIn(
    _ name: String, _ password: Secret? = nil, elevated: Bool = false, answer: Secret? = nil
  ) async throws -> Login {
    let clock = StillClock(base: backend.clock)
    let authority: any Authority = elevated ? ElevatingAuthority(base: backend) : backend
    let vault = InMemoryVault()
    let store = SessionStore(authority: authority, vault: vault, clock: clock)
    _ = await store.restore()
    do {
      let session = try await store.logIn(Self.credentials(name, password), answering: answer)
      let fresh = try FreshSession(session)
      let administrator = session.user.role == .administrator ? try AdminSession(session) : nil
      guard case .token(let token) = vault.content else { throw Breach("the login of \(name) left no token") }
      return Login(
        backend: backend, store: store, session: session, fresh: fresh, administrator: administrator, token: token)
    } catch let breach as Breach {
      throw breach
    } catch {
      throw Breach("the right password of \(name) was answered \(error)")
    }
  }

  /// The error of a login; a breach if it succeeds.
  func loginFailure(_ name: String, _ password: Secret) async throws -> AuthorityError<CredentialsRejection> {
    let failure: AuthorityError<CredentialsRejection>? = try await failure(of: {
      _ = try await backend.authenticate(Self.credentials(name, password), limits: .standard)
    })
    guard let failure else { throw Breach("a login of \(name) that had to be refused succeeded") }
    return failure
  }

  /// Enters a wrong password for `name` several times.
  func guess(_ name: String, times: Int) async throws {
    for _ in 0..<times { _ = try await loginFailure(name, Self.wrongPassword) }
  }

  /// Sets a new password with a recovery code.
  @discardableResult
  func recover(_ name: String, _ code: RecoveryCode, _ password: Secret = newPassword) throws -> Answer<User> {
    try answer { try backend.recover(username: name, code: code, password: password) }
  }

  /// The number of simultaneous operations: fewer than the throttle permits.
  static let many = 4

  /// The number of successes when ``many`` callers run an operation simultaneously.
  func successes(_ operation: @escaping @Sendable () throws -> Void) async -> Int {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<Self.many { group.addTask { (try? operation()) != nil } }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
  }

  func order(_ amount: Int64, to payee: String, key: String? = nil) throws -> PaymentOrder {
    let key: IdempotencyKey? = if let key { try IdempotencyKey(key) } else { nil }
    return PaymentOrder(amount: try Amount(minorUnits: amount), payee: try Username(payee), key: key)
  }

  func name(_ text: String) throws -> Username { try Username(text) }
}

extension Result where Failure == BackendError {
  func value(_ what: String) throws -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw Breach("\(what) was refused with \(error.code): \(error)")
    }
  }

  @discardableResult
  func refused(_ what: String, with code: String, _ kind: BackendError.Kind) throws -> BackendError {
    switch self {
    case .success: throw Breach("\(what) was accepted")
    case .failure(let error):
      try require(error.code == code, "\(what) was refused with \(error.code) instead of \(code)")
      try require(error.kind == kind, "\(what) was refused with the kind \(error.kind) instead of \(kind)")
      return error
    }
  }
}

extension SessionStore {
  /// Logs in, and answers a challenge if there is an answer.
  fileprivate func logIn(
    _ credentials: Credentials, answering answer: Secret?
  ) async throws(SessionError) -> LoggedInSession {
    var result = try await logIn(credentials)
    if case .challenged(let challenge) = result, let answer { result = try await self.answer(answer, to: challenge) }
    guard let session = result.session else { throw .rejected(.challengeOver) }
    return session
  }
}

/// A clock with the time of the backend, whose sleeps end only by cancellation, so that no limit
/// fires on its own.
private struct StillClock: SessionClock {
  let base: any SessionClock

  func now() throws(ClockError) -> BootInstant { try base.now() }

  func sleep(for duration: Duration) async throws(CancellationError) {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(3600))
    }
    throw CancellationError()
  }
}
