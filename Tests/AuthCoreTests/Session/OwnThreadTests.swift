import AuthCore
import AuthCoreTesting
import Dispatch
import Glibc
import Guards
import Synchronization
import Testing

/// The kernel's name of the calling thread.
///
/// The address from pthread_self(3) is reused as soon as a thread has ended.
func currentThread() -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
    buffer.initialize(repeating: 0)
    guard let start = buffer.baseAddress, readlink("/proc/thread-self", start, buffer.count - 1) > 0 else {
      preconditionFailure("/proc names every thread")
    }
    return String(cString: start)
  }
}

/// An authority that blocks its caller until a test releases it, as a password hash or a disk
/// would.
private final class BlockingAuthority: ForwardingAuthority {
  let base: ScriptedAuthority
  private let isShut = Atomic<Bool>(false)
  private let gate = DispatchSemaphore(value: 0)
  /// The number of blocked calls.
  let blocked = Atomic<Int>(0)
  private let threads = Locked<Set<String>>([])

  var callers: Set<String> { threads.withLock { $0 } }

  init(_ base: ScriptedAuthority) { self.base = base }

  /// Makes calls block from now on.
  func shut() { isShut.store(true, ordering: .sequentiallyConsistent) }

  /// Releases all calls.
  func open() {
    isShut.store(false, ordering: .sequentiallyConsistent)
    gate.signal()
  }

  func willCall(_ operation: ScriptedAuthority.Operation) {
    _ = threads.withLock { $0.insert(currentThread()) }
    blocked.add(1, ordering: .sequentiallyConsistent)
    if isShut.load(ordering: .sequentiallyConsistent) {
      gate.wait()
      // Each released call also releases the next one.
      gate.signal()
    }
    blocked.subtract(1, ordering: .sequentiallyConsistent)
  }
}

@Suite("Work that blocks")
struct OwnThreadTests {
  private func stores(
    _ count: Int, worksOn place: WorkPlace = .separateThreads
  ) -> (authority: BlockingAuthority, stores: [SessionStore]) {
    let clock = ManualClock()
    let scripted = ScriptedAuthority(clock: clock)
    scripted.setAccount("alice", password: World.alice.password)
    let authority = BlockingAuthority(scripted)
    return (
      authority,
      (0..<count).map { _ in
        SessionStore(
          authority: authority, vault: InMemoryVault(), clock: clock, worksOn: place)
      }
    )
  }

  @MainActor @Test("a login that blocks does not block the main actor or the shared threads of tasks")
  func mainActorGoesOn() async throws {
    // More logins than shared threads: if they ran there, no other task could run.
    let count = 4 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 4
    let (authority, stores) = stores(count)
    authority.shut()
    let logins = stores.map { $0.beginLogIn(World.alice) }
    while authority.blocked.load(ordering: .sequentiallyConsistent) < count { await Task.yield() }
    // The main actor is free, because this runs; a shared thread is also free:
    #expect(await Task.detached { 1 }.value == 1)
    authority.open()
    for login in logins { _ = try await login.value() }
    // Optimised code releases an object after its last use, and a released store ends its logins.
    withExtendedLifetime(stores) {}
    #expect(!authority.callers.contains(currentThread()))
  }

  @MainActor @Test("a command that is awaited on the main actor runs on another thread")
  func awaited() async throws {
    let (authority, stores) = stores(1)
    let store = stores[0]
    try await store.loggedIn(World.alice)
    try await store.renew()
    try await store.reauthenticated(password: World.alice.password)
    try await store.check()
    #expect(try await store.logOut() == .complete)
    #expect(!authority.callers.contains(currentThread()))
  }

  @Test("on the calling thread: no thread is started, and the work is done when the call returns")
  func direct() async throws {
    let (authority, stores) = stores(1, worksOn: .callingThread)
    stores[0].beginLogIn(World.alice)
    #expect(stores[0].session != nil)
    #expect(authority.callers.count == 1)
  }

  @Test(
    "all commands of a session give the same results on separate threads and on the calling thread",
    arguments: [WorkPlace.callingThread, .separateThreads])
  func life(place: WorkPlace) async throws {
    let world = World(worksOn: place)
    world.authority.setRotation(true)
    #expect(await world.store.restore() == .loggedOut(.neverLoggedIn))
    let key = try await world.store.loggedIn(World.alice)
    try await world.store.renew()
    try await world.store.reauthenticated(password: World.alice.password)
    let bob = try await world.store.switched(to: World.bob)
    #expect(key.endReason == .switchedUser)
    #expect(bob.isLive)
    #expect(try await world.store.logOut() == .complete)
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
  }

  @Test(
    "a clock that moves right after a login ends the session at its limit",
    arguments: [WorkPlace.callingThread, .separateThreads])
  func limitRightAfterLogin(place: WorkPlace) async throws {
    for _ in 0..<50 {
      let world = World(worksOn: place)
      let key = try await world.store.loggedIn(World.alice)
      world.clock.advance(by: .seconds(1800))
      await until { !key.isLive }
      #expect(key.endReason == .expired(.idle))
    }
  }

  @Test(
    "a clock that moves right after a renewal reaches the new limit",
    arguments: [WorkPlace.callingThread, .separateThreads])
  func limitRightAfterRenewal(place: WorkPlace) async throws {
    for _ in 0..<50 {
      let world = World(worksOn: place)
      let key = try await world.store.loggedIn(World.alice)
      world.clock.advance(by: .seconds(1000))
      try await world.store.renew()
      world.clock.advance(by: .seconds(1799))
      #expect(key.isLive)
      world.clock.advance(by: .seconds(1))
      await until { !key.isLive }
    }
  }
}
