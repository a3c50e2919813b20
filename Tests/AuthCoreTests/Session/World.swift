import AuthCore
import AuthCoreTesting

/// A store on doubles, with two accounts.
///
/// It works on the calling thread, so that a test knows what is done when a call returns;
/// `OwnThreadTests` has the other way.
struct World {
  let clock = ManualClock()
  let vault: InMemoryVault
  let authority: ScriptedAuthority
  let store: SessionStore

  static let alice = Credentials(username: "alice", password: Password("correct horse battery"))
  static let bob = Credentials(username: "bob", password: Password("staple staple staple"))
  static let wrong = Credentials(username: "alice", password: Password("guess"))

  static let offline = Unavailability(.unreachable, "no route to the authority")
  static let diskError = VaultError("session: input/output error")
  static let evidence = VaultEvidence("session: 7 bytes of noise", hint: "Log in again.")

  init(
    vault: InMemoryVault = InMemoryVault(), timing: SessionTiming = SessionTiming(),
    worksOnCallingThread: Bool = true
  ) {
    self.vault = vault
    authority = ScriptedAuthority(clock: clock)
    authority.setAccount("alice", password: Self.alice.password)
    authority.setAccount("bob", password: Self.bob.password)
    store = SessionStore(
      authority: authority, vault: vault, clock: clock, timing: timing,
      worksOnCallingThread: worksOnCallingThread)
  }

  /// Another process on the same vault and authority.
  func anotherProcess() -> SessionStore {
    SessionStore(authority: authority, vault: vault, clock: clock, worksOnCallingThread: true)
  }

  /// Whether the vault keeps the only token that works.
  var vaultAgrees: Bool {
    guard let live = authority.liveTokens.first, authority.liveTokens.count == 1 else { return false }
    return vault.content == .token(live)
  }

  /// How often the authority was asked to do something.
  func count(_ operation: ScriptedAuthority.Operation) -> Int {
    authority.log.count { $0 == operation }
  }
}

/// Gives way until something that other tasks bring about has come about.
func until(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}
