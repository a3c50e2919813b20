import AuthBackend
import AuthCore
import AuthCoreTesting

typealias Answer<Value> = Result<Value, BackendError>

/// Asks a backend, and turns what a check did not expect into a breach.
struct BackendProbe: Sendable {
  static let passwords = [
    "alice": Password("correct horse battery"), "bob": Password("another good passphrase"),
    "carol": Password("three walnuts under snow"),
  ]
  static let wrongPassword = Password("not the right password")
  static let newPassword = Password("a quite new passphrase")
  static let wrongCode = RecoveryCode(typed: Array("00000-00000-00000-00000-00000".utf8))

  let subject: BackendContract.Subject

  var backend: any Backend { subject.backend }

  func answer<Value>(_ operation: () throws(BackendError) -> Value) -> Answer<Value> {
    do throws(BackendError) {
      return .success(try operation())
    } catch {
      return .failure(error)
    }
  }

  @discardableResult
  func register(_ name: String) throws(Breach) -> User {
    guard let password = Self.passwords[name] else { throw Breach("the contract has no password of \(name)") }
    return try answer { () throws(BackendError) in
      try backend.register(username: name, password: password, displayName: nil)
    }.value("register of \(name)")
  }

  /// Registers alice, the administrator, and bob, and logs both in.
  func both() async throws(Breach) -> (alice: Login, bob: Login) {
    try register("alice")
    try register("bob")
    return (try await logIn("alice"), try await logIn("bob"))
  }

  /// A login through a store of its own, which makes the keys.
  ///
  /// With `elevated` the keys claim the role of an administrator, whatever the backend says. A
  /// challenge is answered with `answer`.
  func logIn(
    _ name: String, _ password: Password? = nil, elevated: Bool = false, answer: Password? = nil
  ) async throws(Breach) -> Login {
    let clock = StillClock(base: backend.clock)
    let authority: any Authority = elevated ? ElevatingAuthority(base: backend) : backend
    let vault = InMemoryVault()
    let store = SessionStore(authority: authority, vault: vault, clock: clock)
    _ = await store.restore()
    do {
      let credentials = Credentials(username: name, password: password ?? Self.passwords[name] ?? Self.wrongPassword)
      let session = try await store.logIn(credentials, answering: answer)
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

  /// Why a login is refused; a breach when it succeeds.
  func loginFailure(
    _ name: String, _ password: Password
  ) async throws(Breach) -> AuthorityError<CredentialsRejection> {
    do throws(AuthorityError<CredentialsRejection>) {
      _ = try await backend.authenticate(Credentials(username: name, password: password), limits: .standard)
    } catch {
      return error
    }
    throw Breach("a login of \(name) that had to be refused succeeded")
  }

  /// How often a wrong password of `name` is entered.
  func guess(_ name: String, times: Int) async throws(Breach) {
    for _ in 0..<times { _ = try await loginFailure(name, Self.wrongPassword) }
  }

  /// What a token is refused with.
  func rejection(of token: SessionToken, _ what: String) async throws(Breach) -> SessionRejection {
    do throws(AuthorityError<SessionRejection>) {
      _ = try await backend.resume(token)
    } catch {
      if case .rejected(let rejection) = error { return rejection }
      throw Breach("\(what) was answered \(error)")
    }
    throw Breach("\(what) was accepted")
  }

  /// Asks for a new password with a code.
  @discardableResult
  func recover(_ name: String, _ code: RecoveryCode, _ password: Password = newPassword) -> Answer<User> {
    answer { () throws(BackendError) in
      try backend.recover(username: name, code: code, password: password)
    }
  }

  func order(_ amount: Int64, to payee: String, key: String? = nil) throws(Breach) -> PaymentOrder {
    try answer { () throws(BackendError) in
      let key: IdempotencyKey? = if let key { try IdempotencyKey(key) } else { nil }
      return PaymentOrder(amount: try Amount(minorUnits: amount), payee: try Username(payee), key: key)
    }.value("an order")
  }

  func name(_ text: String) throws(Breach) -> Username {
    try answer { () throws(BackendError) in try Username(text) }.value("the name \(text)")
  }
}

extension Result where Failure == BackendError {
  func value(_ what: String) throws(Breach) -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw Breach("\(what) was refused with \(error.code): \(error)")
    }
  }

  @discardableResult
  func refused(_ what: String, with code: String, _ kind: BackendError.Kind) throws(Breach) -> BackendError {
    switch self {
    case .success: throw Breach("\(what) was accepted")
    case .failure(let error):
      try require(error.code == code, "\(what) was refused with \(error.code) instead of \(code)")
      try require(error.kind == kind, "\(what) was refused with the kind \(error.kind) instead of \(kind)")
      try require(!error.description.isEmpty && !error.hint.isEmpty, "\(code) has no sentence or no hint")
      return error
    }
  }
}

/// A login with the keys that it had at its beginning.
struct Login {
  let backend: any Backend
  /// Keeps the keys alive.
  let store: SessionStore
  let session: LoggedInSession
  let fresh: FreshSession
  let administrator: AdminSession?
  let token: SessionToken

  /// Runs an operation under a lease of this session.
  func run<Value>(
    _ body: (borrowing SessionLease) throws(BackendError) -> Value
  ) throws(Breach) -> Answer<Value> {
    do throws(LeaseError<BackendError>) {
      return .success(
        try session.withLease { (lease: borrowing SessionLease) throws(BackendError) in try body(lease) })
    } catch {
      switch error {
      case .body(let error): return .failure(error)
      case .ended(let reason): throw Breach("the key of \(session.user.username) died in this process: \(reason)")
      }
    }
  }

  func profile() throws(Breach) -> Answer<Profile> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in try backend.profile(under: lease) }
  }

  func balance() throws(Breach) -> Int64 { try profile().value("profile").balance }

  func rename(_ name: String) throws(Breach) -> Answer<Profile> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in try backend.rename(to: name, under: lease) }
  }

  func changePassword(_ present: Password, _ new: Password, keys: Login? = nil) throws(Breach) -> Answer<Grant> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.changePassword(from: present, to: new, for: (keys ?? self).fresh, under: lease)
    }
  }

  func sessions() throws(Breach) -> Answer<[SessionSummary]> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in try backend.sessions(under: lease) }
  }

  func revoke(_ id: SessionID, keys: Login? = nil) throws(Breach) -> Answer<Void> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.revokeSession(id, for: (keys ?? self).fresh, under: lease)
    }
  }

  func endAll() throws(Breach) -> Answer<Int> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in try backend.endAllSessions(under: lease) }
  }

  func earlierPayment(_ order: PaymentOrder) throws(Breach) -> Answer<Receipt?> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.earlierPayment(of: order, under: lease)
    }
  }

  func pay(_ order: PaymentOrder, keys: Login? = nil) async throws(Breach) -> Answer<Receipt> {
    let intent = backend.prepare(order, for: (keys ?? self).fresh)
    do throws(LeaseError<BackendError>) {
      return .success(
        try await session.withLease(using: intent) {
          (intent: consuming PaymentIntent, lease: borrowing SessionLease) async throws(BackendError) in
          try await intent.submit(under: lease)
        })
    } catch {
      switch error {
      case .body(let error): return .failure(error)
      case .ended(let reason): throw Breach("the key of \(session.user.username) died in this process: \(reason)")
      }
    }
  }

  func receipts(
    within times: TimeSpan = .all, before: Int64? = nil, limit: Int = 50
  ) throws(Breach) -> Answer<[Receipt]> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.receipts(within: times, before: before, limit: limit, under: lease)
    }
  }

  func events(
    since: WallTime? = nil, until: WallTime? = nil, before: Int64? = nil, limit: Int = 50
  ) throws(Breach) -> Answer<[Event]> {
    let times = TimeSpan(since: since, until: until)
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.events(within: times, before: before, limit: limit, under: lease)
    }
  }

  func allEvents(
    since: WallTime? = nil, until: WallTime? = nil, before: Int64? = nil, limit: Int = 50, keys: Login? = nil
  ) throws(Breach) -> Answer<[Event]> {
    let role = try (keys ?? self).role
    let times = TimeSpan(since: since, until: until)
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.allEvents(within: times, before: before, limit: limit, for: role, under: lease)
    }
  }

  func accounts(
    after: String? = nil, limit: Int = 50, keys: Login? = nil
  ) throws(Breach) -> Answer<[AccountSummary]> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.accounts(after: after, limit: limit, for: role, under: lease)
    }
  }

  func account(_ name: Username, keys: Login? = nil) throws(Breach) -> Answer<AccountSummary> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.account(named: name, for: role, under: lease)
    }
  }

  func setDisabled(
    _ disabled: Bool, _ name: Username, keys: Login? = nil, fresh: Login? = nil
  ) throws(Breach) -> Answer<AccountSummary> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.setDisabled(disabled, account: name, for: role, (fresh ?? self).fresh, under: lease)
    }
  }

  func unlock(_ name: Username, keys: Login? = nil, fresh: Login? = nil) throws(Breach) -> Answer<AccountSummary> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.unlock(account: name, for: role, (fresh ?? self).fresh, under: lease)
    }
  }

  func noteView(_ subject: String, keys: Login? = nil) throws(Breach) -> Answer<Void> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.noteView(of: subject, for: role, under: lease)
    }
  }

  func makeRecoveryCodes(keys: Login? = nil) throws(Breach) -> Answer<[RecoveryCode]> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.makeRecoveryCodes(for: (keys ?? self).fresh, under: lease)
    }
  }

  func twoStep() throws(Breach) -> Answer<TwoStepState> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in try backend.twoStep(under: lease) }
  }

  func beginTwoStep(keys: Login? = nil) throws(Breach) -> Answer<TwoStepSecret> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.beginTwoStep(for: (keys ?? self).fresh, under: lease)
    }
  }

  func confirmTwoStep(_ code: Password, keys: Login? = nil) throws(Breach) -> Answer<Void> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.confirmTwoStep(code, for: (keys ?? self).fresh, under: lease)
    }
  }

  func endTwoStep(_ code: Password, keys: Login? = nil) throws(Breach) -> Answer<Void> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.endTwoStep(code, for: (keys ?? self).fresh, under: lease)
    }
  }

  func twoStepPolicy(keys: Login? = nil) throws(Breach) -> Answer<TwoStepPolicy> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.twoStepPolicy(for: role, under: lease)
    }
  }

  func setTwoStepPolicy(_ policy: TwoStepPolicy, keys: Login? = nil) throws(Breach) -> Answer<Void> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.setTwoStepPolicy(policy, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func deleteAccount(keys: Login? = nil) throws(Breach) -> Answer<Void> {
    try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.deleteAccount(for: (keys ?? self).fresh, under: lease)
    }
  }

  func resetPassword(_ name: Username, keys: Login? = nil) throws(Breach) -> Answer<OneTimeCode> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.resetPassword(of: name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func setRole(_ new: Role, _ name: Username, keys: Login? = nil) throws(Breach) -> Answer<AccountSummary> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.setRole(new, account: name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func deleteAccount(_ name: Username, keys: Login? = nil) throws(Breach) -> Answer<Void> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.deleteAccount(name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func registration(keys: Login? = nil) throws(Breach) -> Answer<Registration> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.registration(for: role, under: lease)
    }
  }

  func setRegistration(_ registration: Registration, keys: Login? = nil) throws(Breach) -> Answer<Void> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.setRegistration(registration, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func registerOther(_ name: String, keys: Login? = nil) throws(Breach) -> Answer<OneTimeCode> {
    let role = try (keys ?? self).role
    return try run { (lease: borrowing SessionLease) throws(BackendError) in
      try backend.registerOther(username: name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  private var role: AdminSession {
    get throws(Breach) {
      guard let administrator else { throw Breach("\(session.user.username) is not an administrator") }
      return administrator
    }
  }
}

extension SessionStore {
  /// Logs in, and answers a challenge if there is an answer.
  fileprivate func logIn(
    _ credentials: Credentials, answering answer: Password?
  ) async throws(SessionError) -> LoggedInSession {
    do throws(SessionError) {
      return try await logIn(credentials)
    } catch {
      guard case .challenged(let challenge) = error, let answer else { throw error }
      return try await self.answer(answer, to: challenge).session
    }
  }
}

/// The time of the backend; a sleep ends by cancellation only, so no limit acts by itself.
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

/// Claims that every user is an administrator, for keys that the backend must not believe.
private struct ElevatingAuthority: Authority {
  let base: any Backend

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant {
    elevated(try await base.authenticate(credentials, limits: limits))
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    elevated(try await base.resume(token))
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    elevated(try await base.renew(token))
  }

  func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant {
    elevated(try await base.reauthenticate(token, password: password, limits: limits))
  }

  func answer(
    _ challenge: Challenge, with answer: Password
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant {
    elevated(try await base.answer(challenge, with: answer))
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    try await base.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    try await base.revoke(token, reason: reason)
  }

  private func elevated(_ grant: Grant) -> Grant {
    let user = User(
      id: grant.user.id, username: grant.user.username, displayName: grant.user.displayName, role: .administrator)
    return Grant(id: grant.id, user: user, token: grant.token, limits: grant.limits)
  }
}
