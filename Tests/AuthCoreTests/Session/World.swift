import AuthCore
import AuthCoreTesting

/// A store on doubles, with two accounts.
///
/// It works on the calling thread, so that the work is done when a call returns; `OwnThreadTests`
/// covers separate threads.
struct World {
  let clock = ManualClock()
  let vault: InMemoryVault
  let authority: ScriptedAuthority
  let store: SessionStore

  static let alice = Credentials.password(username: "alice", password: Secret("correct horse battery"))
  static let bob = Credentials.password(username: "bob", password: Secret("staple staple staple"))
  static let wrong = Credentials.password(username: "alice", password: Secret("guess"))

  /// The correct answer if alice has a second step.
  static let code = Secret("123456")

  static let offline = Unavailability(.unreachable, "no route to the authority")
  static let diskError = VaultError("session: input/output error")
  static let evidence = VaultEvidence("session: 7 bytes of noise", hint: "Log in again.")

  init(
    vault: InMemoryVault = InMemoryVault(), timing: SessionTiming = SessionTiming(),
    worksOn place: WorkPlace = .callingThread
  ) {
    self.vault = vault
    authority = ScriptedAuthority(clock: clock)
    authority.setAccount("alice", password: Self.alice.password)
    authority.setAccount("bob", password: Self.bob.password)
    store = SessionStore(
      authority: authority, vault: vault, clock: clock, timing: timing,
      worksOn: place)
  }

  /// A world in which alice is logged in, with her key.
  static func withAlice(rotates: Bool = false) async throws -> (World, LoggedInSession) {
    let world = World()
    world.authority.setRotation(rotates)
    return (world, try await world.store.loggedIn(alice))
  }

  /// Another process on the same vault and authority.
  func anotherProcess() -> SessionStore {
    SessionStore(authority: authority, vault: vault, clock: clock, worksOn: .callingThread)
  }

  /// Requires a second step for alice, and returns the challenge of a login or a password check.
  func challenged(
    _ first: () async throws(SessionError) -> LoginResult
  ) async throws -> Challenge {
    authority.setSecondStep(of: "alice", to: Self.code)
    guard case .challenged(let challenge) = try await first() else { throw SessionError.overtaken }
    return challenge
  }

  func challengedLogin() async throws -> Challenge {
    try await challenged { () async throws(SessionError) in try await store.logIn(Self.alice) }
  }

  func challengedPassword() async throws -> Challenge {
    try await challenged { () async throws(SessionError) in
      try await store.reauthenticate(password: Self.alice.password)
    }
  }

  /// Whether the vault holds the only working token.
  var vaultAgrees: Bool {
    guard let live = authority.liveTokens.first, authority.liveTokens.count == 1 else { return false }
    return vault.content == .token(live)
  }

  /// The number of calls of an operation of the authority.
  func count(_ operation: ScriptedAuthority.Operation) -> Int {
    authority.log.count { $0 == operation }
  }
}

extension ScriptedAuthority {
  /// Holds the calls of an operation, begins `command`, and waits until a call is held.
  @discardableResult
  func holding<Command>(
    _ operation: Operation, at point: Point = .question, calls: Int = .max, _ command: () -> Command
  ) async -> Command {
    hold(operation, at: point, calls: calls)
    let begun = command()
    await waitUntilHeld(operation, at: point)
    return begun
  }
}

extension InMemoryVault {
  /// Holds the calls of an operation, begins `command`, and waits until a call is held.
  @discardableResult
  func holding<Command>(
    _ operation: Operation, at point: Point = .before, calls: Int = .max, _ command: () -> Command
  ) async -> Command {
    hold(operation, at: point, calls: calls)
    let begun = command()
    await waitUntilHeld(operation, at: point)
    return begun
  }
}

/// Yields until other tasks have made the condition true.
func until(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}
