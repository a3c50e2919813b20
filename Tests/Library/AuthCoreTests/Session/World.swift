import AuthCoreTesting
import Testing

@testable import AuthCore

/// A store on doubles, with two accounts.
///
/// It works on the calling thread, so that the work is done when a call returns; `OwnThreadTests`
/// covers separate threads.
struct World {
  let clock = ManualClock()
  let vault = InMemoryVault()
  let authority: ScriptedAuthority
  let store: SessionStore

  static let alice = Credentials.password(username: "alice", password: Secret("correct horse battery"))
  static let bob = Credentials.password(username: "bob", password: Secret("staple staple staple"))
  static let wrong = Credentials.password(username: "alice", password: Secret("guess"))

  /// The correct answer if alice has a second step.
  static let code = Secret("123456")

  static let offline = Unavailability(.unreachable, "There is no route to the authority.")
  static let diskError = VaultError("The disk is full.", hint: "Delete something.")
  static let evidence = VaultEvidence("The file holds noise.", hint: "Log in again.")

  init(
    timing: SessionTiming = SessionTiming(), renewal: RenewalPolicy = RenewalPolicy(),
    executor: WorkExecutor = .callingThread
  ) {
    var timing = timing
    timing.renewal = renewal
    authority = ScriptedAuthority(clock: clock)
    authority.setAccount("alice", password: Self.alice.password)
    authority.setAccount("bob", password: Self.bob.password)
    store = SessionStore(authority: authority, vault: vault, clock: clock, timing: timing, executor: executor)
  }

  /// Another process on the same vault and authority, which a test can end by releasing the store.
  func anotherProcess(executor: WorkExecutor = .callingThread) -> SessionStore {
    SessionStore(authority: authority, vault: vault, clock: clock, executor: executor)
  }

  /// Another process that has restored the session.
  func launched(executor: WorkExecutor = .callingThread) async throws -> SessionStore {
    let store = anotherProcess(executor: executor)
    try #require(await store.restore().key != nil)
    return store
  }

  /// The commands that may need a second step.
  enum FirstStep: CaseIterable { case login, password, userSwitch }

  /// Requires a second step for alice, and returns the challenge of a first step.
  ///
  /// Before the step, she logs in; before a switch to her, bob does.
  func challenged(by step: FirstStep = .login) async throws -> Challenge {
    if step != .login, store.session == nil { try await store.loggedIn(step == .password ? Self.alice : Self.bob) }
    authority.setSecondStep(of: "alice", to: Self.code)
    let result =
      switch step {
      case .login: try await store.logIn(Self.alice)
      case .password: try await store.reauthenticate(password: Self.alice.password)
      case .userSwitch: try await store.switchUser(to: Self.alice)
      }
    guard case .challenged(let challenge) = result else { throw SessionError.overtaken }
    return challenge
  }

  /// Changes the name that screens show of alice, and checks the session.
  @discardableResult
  func rename(to name: String) async throws -> LoggedInSession {
    authority.setAccount("alice", password: Self.alice.password, displayName: name)
    return try await store.check()
  }

  /// Another process logs in: the vault holds its token.
  @discardableResult
  func logInElsewhere(_ credentials: Credentials) async throws -> SessionToken {
    let answer = try await authority.authenticate(credentials, limits: .standard)
    guard let token = answer.grant?.token else { throw SessionError.overtaken }
    vault.content = .token(token)
    return token
  }

  /// Whether the authority and the vault hold nothing of any session.
  var isEmpty: Bool {
    vault.content == .empty && authority.liveTokens.isEmpty && authority.openChallenges.isEmpty
  }

  /// Whether the vault holds the only working token.
  var vaultAgrees: Bool {
    guard let live = authority.liveTokens.first, authority.liveTokens.count == 1 else { return false }
    return vault.content == .token(live)
  }

  /// Holds every call to the authority and the vault before it has an effect.
  func holdEverything() {
    for operation in ScriptedAuthority.Operation.allCases { authority.hold(operation) }
    for operation in InMemoryVault.Operation.allCases { vault.hold(operation) }
  }

  /// Releases every held call to the authority and the vault.
  func releaseEverything() {
    for point in HoldingPoint.allCases {
      for operation in ScriptedAuthority.Operation.allCases { authority.release(operation, at: point) }
      for operation in InMemoryVault.Operation.allCases { vault.release(operation, at: point) }
    }
  }

  /// The number of calls of an operation of the authority.
  func count(_ operation: ScriptedAuthority.Operation) -> Int {
    authority.log.count { $0 == operation }
  }
}

extension HeldCalls {
  /// Holds the calls of an operation, begins `command`, and waits until a call is held.
  @discardableResult
  func holding<Command>(
    _ operation: Operation, at point: Point = .start, calls: Int = .max, _ command: () -> Command
  ) async -> Command {
    hold(operation, at: point, calls: calls)
    let begun = command()
    await waitUntilHeld(operation, at: point)
    return begun
  }
}

extension ManualClock {
  /// Waits for the timer of a limit, and moves to it.
  func reachLimit(in time: Duration) async {
    await waitForSleepers(1, dueWithin: time)
    advance(by: time)
  }
}

/// A suite whose tests each get a new world.
protocol InWorld: Sendable {
  var world: World { get }
}

extension InWorld {
  var store: SessionStore { world.store }
  var authority: ScriptedAuthority { world.authority }
  var vault: InMemoryVault { world.vault }
  var clock: ManualClock { world.clock }

  /// Logs alice in, at an authority that may exchange tokens.
  @discardableResult
  func logInAlice(rotates: Bool = false) async throws(SessionError) -> LoggedInSession {
    authority.setRotation(rotates)
    return try await store.loggedIn(World.alice)
  }
}

extension RestoreOutcome {
  var key: LoggedInSession? {
    if case .loggedIn(let key) = self { key } else { nil }
  }
}

extension LogoutResult {
  /// What remains, if the logout was partial.
  var leftovers: IncompleteCleanup? {
    if case .partial(let leftovers, _) = self { leftovers } else { nil }
  }
}

extension SessionError {
  /// Why the authority is unavailable, if it is.
  var unavailability: Unavailability? {
    if case .unavailable(let cause) = self { cause } else { nil }
  }
}

/// Yields until other tasks have made the condition true.
func until(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}
