import AuthCoreTesting
import ConcurrencyKit
import Dispatch
import Foundation
import Testing

@testable import AuthCore

/// The kernel's name of the calling thread.
///
/// The address from pthread_self(3) is reused as soon as a thread has ended.
func currentThread() -> String {
  guard let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") else {
    preconditionFailure("/proc names every thread")
  }
  return name
}

@Suite("Work that blocks", .timeLimit(.minutes(10)))
struct OwnThreadTests {
  @MainActor @Test("a login that blocks does not block the main actor or the shared threads of tasks")
  func mainActorGoesOn() async throws {
    // More logins than shared threads: if they ran there, no other task could run.
    let count = 4 * ProcessInfo.processInfo.activeProcessorCount + 4
    let world = World(executor: .separateThreads)
    let blocker = Blocker(world.authority)
    let stores = (0..<count).map { _ in
      SessionStore(authority: world.authority, vault: InMemoryVault(), clock: world.clock)
    }
    blocker.shut()
    let logins = stores.map { $0.beginLogIn(World.alice) }
    while blocker.blockedCalls < count { await Task.yield() }
    // The main actor is free, because this runs; a shared thread is also free:
    #expect(await Task.detached { 1 }.value == 1)
    blocker.open()
    for login in logins { _ = try await login.value() }
    // Optimised code releases an object after its last use, and a released store ends its logins.
    withExtendedLifetime(stores) {}
    #expect(!blocker.callers.contains(currentThread()))
  }

  @Test(
    "all commands of a session run on other threads or on that of the caller, with the same results",
    arguments: [WorkExecutor.callingThread, .separateThreads])
  @MainActor func life(executor: WorkExecutor) async throws {
    let world = World(executor: executor)
    let (store, blocker, here) = (world.store, Blocker(world.authority), currentThread())
    world.authority.setRotation(true)
    #expect(store.state == .restoring(nil), "nobody is logged in before the vault answers")
    #expect(await store.restore() == .loggedOut(.neverLoggedIn))
    let key = try await store.loggedIn(World.alice)
    #expect(key.user.username == "alice" && key.isLive && world.vaultAgrees)
    if executor == .callingThread { #expect(blocker.callers == [here]) }
    try await store.renew()
    _ = try await store.reauthenticate(password: World.alice.password).key
    let wrong = Credentials.password(username: "bob", password: Secret("no"))
    await #expect(throws: SessionError.credentialsNotAccepted) { try await store.switchUser(to: wrong).key }
    await #expect(throws: SessionError.credentialsNotAccepted) {
      try await store.reauthenticate(password: World.wrong.password).key
    }
    #expect(store.session?.id == key.id && key.isLive, "a refused switch or password keeps the first user")
    let bob = try await store.switchUser(to: World.bob).key
    #expect(key.endReason == .switchedUser && bob.user.username == "bob" && bob.isLive && world.vaultAgrees)
    #expect(try await store.logOutAnyone() == .complete)
    #expect(bob.endReason == .userAsked && store.session == nil && world.isEmpty)
    #expect(try await store.logOutAnyone() == .alreadyLoggedOut)
    if executor == .separateThreads { #expect(!blocker.callers.contains(here)) }
  }

  @Test(
    "a clock that moves right after a login or a renewal ends the session at its limit, and not before",
    arguments: [WorkExecutor.callingThread, .separateThreads], [false, true])
  func limitRightAfter(executor: WorkExecutor, isRenewed: Bool) async throws {
    for _ in 0..<50 {
      let world = World(executor: executor)
      let key = try await world.store.loggedIn(World.alice)
      if isRenewed {
        world.clock.advance(by: .seconds(1000))
        try await world.store.renew()
      }
      world.clock.advance(by: .seconds(1799))
      #expect(key.isLive)
      world.clock.advance(by: .seconds(1))
      await until { !key.isLive }
      #expect(key.endReason == .expired(.idle))
    }
  }

  @Test(
    "an authority that blocks gets no more requests after eight that were given up, until it answers",
    .timeLimit(.minutes(10)))
  func givenUp() async throws {
    let world = World(executor: .separateThreads)
    let (store, blocker) = (world.store, Blocker(world.authority))
    blocker.shut()
    for attempt in 1...30 {
      let login = store.beginLogIn(World.alice)
      if attempt <= 8 {
        await until { blocker.blockedCalls == attempt }
        await world.clock.reachLimit(in: .seconds(60))
      }
      await #expect(throws: SessionError.self) { _ = try await login.value() }
    }
    #expect(blocker.blockedCalls == 8)
    blocker.open()
    await store.untilQuiet()
    #expect(try await store.loggedIn(World.alice).isLive)
  }

  @Test("a task that suspends often uses few threads, and one that blocks does not stop it")
  func reuse() async {
    let done = Promise<Set<String>>()
    let blocked = Promise<Void>()
    let gate = DispatchSemaphore(value: 0)
    @Sendable func block() { gate.wait() }
    WorkExecutor.separateThreads.start {
      blocked.fulfil(())
      block()
    }
    await blocked.valueUncancelled()
    WorkExecutor.separateThreads.start {
      var threads: Set<String> = []
      for _ in 0..<1000 {
        await Task.yield()
        threads.insert(currentThread())
      }
      done.fulfil(threads)
    }
    let threads = await done.valueUncancelled()
    gate.signal()
    #expect((1..<100).contains(threads.count))
  }
}
