import AuthCoreTesting
import ConcurrencyKit
import Testing

@testable import AuthCore

@Suite("Each waiting caller gets one answer", .timeLimit(.minutes(10)))
struct WaiterTests: InWorld {
  let world = World()

  @Test(
    "every command that waits can be left, by a cancelled task and after a limit, and says by which of them",
    arguments: SessionCommand.allCases.filter { !SessionCommand.immediate.contains($0) }, [nil, Duration.seconds(2)])
  func everyCommand(command: SessionCommand, limit: Duration?) async throws {
    if command != .restore && command != .logIn { try await store.loggedIn(World.alice) }
    let challenge = command == .answer ? try await world.challenged(by: .password) : nil
    world.holdEverything()
    let waiter = Task { () -> Bool in
      do {
        try await command.send(store, answering: challenge, within: limit)
        return false
      } catch {
        return limit == nil
          ? error as? SessionError == .cancelled || error as? LogoutError == .cancelled
          : error as? SessionError == .timedOut || error as? LogoutError == .timedOut
      }
    }
    if command == .answer { await authority.waitUntilHeld(.answer) }
    await until { store.revision > (command == .restore || command == .logIn ? 0 : 2) }
    if let limit {
      await clock.reachLimit(in: limit)
    } else {
      waiter.cancel()
    }
    #expect(await waiter.value)
    let awaited = store.core.withLock { ($0.awaited.restore != nil, $0.awaited.work != nil, $0.awaited.logout != nil) }
    #expect(awaited.0 || awaited.1 || awaited.2, "the work continues")
    world.releaseEverything()
  }

  @Test("a waiter gets an error when its store is released, and a login that ends later creates no live key")
  func ownerGone() async throws {
    var store: SessionStore? = world.anotherProcess()
    weak let core = store?.core
    authority.hold(.authenticate)
    let pending = try #require(store?.beginLogIn(World.alice))
    await authority.waitUntilHeld(.authenticate)
    let waiter = Task { try await pending.value() }
    store = nil
    await #expect(throws: SessionError.ended(.storeReleased)) { try await waiter.value }
    authority.hold(.authenticate, at: .end)
    authority.release(.authenticate)
    await authority.waitUntilHeld(.authenticate, at: .end)
    var kept = core
    authority.release(.authenticate, at: .end)
    await until { kept?.withLock { $0.key != nil } ?? false }
    let late = kept?.withLock { $0.key }
    #expect(late?.endReason == .storeReleased && world.vaultAgrees)
    kept = nil
    await until { core == nil }
  }

  @Test("among thousands of waiters and cancellations each waiter is resumed once")
  func promiseRace() async {
    for _ in 0..<500 {
      let promise = Promise<Int>()
      await withTaskGroup(of: Int?.self) { group in
        for _ in 0..<8 { group.addTask { await promise.value() } }
        group.addTask {
          promise.fulfil(1)
          promise.fulfil(2)
          return 1
        }
        group.cancelAll()
        for await value in group { #expect(value == nil || value == 1) }
      }
      #expect(await promise.value() == 1)
    }
  }

  @Test("four times as many tasks as cores, running all commands simultaneously, all end")
  func everythingAtOnce() async throws {
    authority.setRotation(true)
    let commands = SessionCommand.allCases.filter { $0 != .answer && $0 != .cancel }
    await withTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          for round in 0..<50 { try? await commands[(number + round) % commands.count].send(store) }
        }
      }
    }
    _ = try await store.logOutAnyone()
    await until { authority.liveTokens.isEmpty }
    #expect(vault.content == .empty)
  }

  @Test("an answer before the limit of a command is returned, and leaves no timer")
  func inTime() async throws {
    let key = try await logInAlice()
    #expect(try await store.check(within: .seconds(2)) == key)
    #expect(await world.anotherProcess().restore(within: .seconds(2)) != .timedOut)
    #expect(try await store.logOutAnyone(within: .seconds(2)) == .complete)
    await until { clock.sleepers == 0 }
  }
}
