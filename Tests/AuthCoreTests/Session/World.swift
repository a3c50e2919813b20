import AuthCore
import AuthCoreTesting

/// A store on doubles, with two accounts.
struct World {
  let clock = ManualClock()
  let vault: InMemoryVault
  let authority: ScriptedAuthority
  let store: SessionStore

  static let alice = Credentials(username: "alice", password: Password("correct horse battery"))
  static let bob = Credentials(username: "bob", password: Password("staple staple staple"))

  init(vault: InMemoryVault = InMemoryVault(), timing: SessionTiming = SessionTiming()) {
    self.vault = vault
    authority = ScriptedAuthority(clock: clock)
    authority.setAccount("alice", password: Self.alice.password)
    authority.setAccount("bob", password: Self.bob.password)
    store = SessionStore(authority: authority, vault: vault, clock: clock, timing: timing)
  }
}
