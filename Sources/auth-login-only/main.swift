import AuthCore

// The smallest program that logs in with AuthCore, for the benchmarks: what a product pays for the
// library, in size and in start-up. Its authority, its vault and its clock are in memory.

struct Memory: Authority, SessionVault, SessionClock {
  private let grant = Grant(
    id: SessionID(rawValue: "1"),
    user: User(id: UserID(rawValue: "1"), username: "alice", displayName: "Alice", role: .member),
    token: SessionToken(bytes: [1]), limits: SessionLimits(idle: .off, absolute: .off, fresh: .off))

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant { grant }
  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant { grant }
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant { grant }
  func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant { grant }
  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {}
  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {}

  func load() async -> VaultReading { .absent }
  func store(_ token: SessionToken) async throws(VaultError) -> VaultReading { .absent }
  func replace(_ old: SessionToken, with new: SessionToken) async throws(VaultError) -> Bool { true }
  func erase(_ token: SessionToken) async throws(VaultError) {}
  func setAside() async throws(VaultError) -> String? { nil }

  func now() throws(ClockError) -> BootInstant { BootInstant(boot: BootID(high: 0, low: 1), uptime: .zero) }
  func sleep(for duration: Duration) async throws(CancellationError) {}
}

func logIn() {
  let memory = Memory()
  let store = SessionStore(
    authority: memory, vault: memory, clock: memory, timing: SessionTiming(watchesLimits: false),
    worksOnCallingThread: true)
  store.beginLogIn(Credentials(username: "alice", password: Password("correct horse battery staple")))
  print(store.session?.user.displayName ?? "nobody")
}

logIn()
