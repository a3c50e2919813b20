import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite

/// A login as the command line does it, at the least cost of a password: what is left of `login`
/// without its hash.
enum CheapLogin {
  static func run(home: String) -> Int32 {
    let clock = BootClock()
    let authority = LocalAuthority(directory: home, label: "default", clock: clock, cost: .least)
    let store = SessionStore(
      authority: authority, vault: FileVault(directory: home), clock: clock,
      timing: SessionTiming(watchesLimits: false), worksOnCallingThread: true)
    store.beginLogIn(Credentials(username: "alice", password: Password(BenchHome.password)))
    guard let session = store.session else {
      say("auth-bench: the login did not end at once\n")
      return 1
    }
    print("Logged in as \(session.user.username).")
    return 0
  }
}
