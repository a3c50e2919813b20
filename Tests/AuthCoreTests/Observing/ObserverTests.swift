import AuthCoreTesting
import Dispatch
import Guards
import Observation
import Races
import Testing

@testable import AuthCore

@Suite("Observers")
struct ObserverTests {
  @Test("an observer may log out and in from inside a call, and each of its commands has its own result")
  func eventsFromInside() async throws {
    let world = World()
    let store = world.store
    let results = Locked<(PendingLogout?, PendingLogin?, PendingLogin?)>((nil, nil, nil))
    let switcher = Listener(onLoggedIn: { session in
      guard session.user.username == "alice" else { return }
      let logout = store.beginLogOut()
      let taken = store.beginLogIn(World.bob)
      let refused = store.beginLogIn(World.alice)
      results.withLock { $0 = (logout, taken, refused) }
    })
    let witness = Listener()
    store.attach(switcher)
    store.attach(witness)
    let login = store.beginLogIn(World.alice)
    #expect(witness.heard == ["in alice", "out ended(The session was ended by logging out.)", "in bob"])
    #expect(witness.heard == switcher.heard)
    let (logout, taken, refused) = results.withLock { $0 }
    #expect(try await logout?.value() == .complete)
    #expect(try await taken?.value().key.user.username == "bob")
    await #expect(throws: SessionError.self) { _ = try await refused?.value() }
    #expect(try await login.value().key.endReason == .userAsked)
    #expect(world.vaultAgrees)
  }

  @Test("an observer that replaces a login before it has started does not use its credentials")
  func loginFromInsideALogin() async throws {
    let world = World()
    let store = world.store
    let isDone = Locked(false)
    // Logs the first login out, and another user in, before the authority gets the request.
    let interloper = Observer(
      .anywhere { news in
        guard case .change(let change) = news, change.snapshot == .authenticating else { return true }
        let isFirst = isDone.withLock { isDone in
          defer { isDone = true }
          return !isDone
        }
        if isFirst {
          store.beginLogOut()
          store.beginLogIn(World.bob)
        }
        return true
      })
    store.core.register(interloper)
    interloper.tell(store.core.inbox)
    let first = world.store.beginLogIn(World.alice)
    await #expect(throws: SessionError.ended(.userAsked)) { try await first.value() }
    await until { world.count(.authenticate) == 2 }
    #expect(world.store.session?.user.username == "bob")
    await until { world.vaultAgrees }
  }

  @Test("the first call comes before attach and open return, even while another thread notifies observers")
  func firstCall() async throws {
    let world = World()
    let store = world.store
    let (entered, release) = (Promise<Void>(), DispatchSemaphore(value: 0))
    let key = try await store.loggedIn(World.alice)
    let slow = Listener(onLoggedIn: { session in
      guard session.user.displayName == "Alice B." else { return }
      entered.fulfil(())
      release.wait()
    })
    store.attach(slow)
    world.authority.setAccount("alice", password: World.alice.password, displayName: "Alice B.")
    let worker = OwnThread { startAtOnce { _ = try? await store.check() } }
    await entered.valueUncancelled()

    let listener = Listener()
    store.attach(listener)
    #expect(listener.heard == ["in Alice B."])
    let screen = Screen(session: key)
    store.open(screen, with: key)
    #expect(screen.told == ["follow Alice B."])
    #expect(NavigationBar(store: store).button.label == "Log out")
    await MainActor.run {
      let model = MainModel()
      store.attach(model)
      #expect(model.told == ["in Alice B."])
    }
    release.signal()
    _ = try await worker.result
    try await store.logOut()
    #expect(listener.heard == ["in Alice B.", "out ended(The session was ended by logging out.)"])
    #expect(screen.told == ["follow Alice B.", "dismiss user_asked"])
  }

  @Test("inside a call, the first call to another object comes before attach and open return")
  func firstCallInside() async throws {
    let world = World()
    let store = world.store
    let heard = Locked<[[String]]>([])
    let outer = Listener(onLoggedIn: { session in
      let inner = Listener()
      store.attach(inner)
      let dead = Screen(session: session)
      store.beginLogOut()
      store.open(dead, with: session)
      let latest = Listener()
      store.attach(latest)
      heard.withLock { $0 = [inner.heard, dead.told, latest.heard] }
    })
    store.attach(outer)
    try await store.loggedIn(World.alice)
    let ended = "out ended(The session was ended by logging out.)"
    #expect(heard.withLock { $0 } == [["in alice"], ["dismiss user_asked"], [ended]])
    #expect(outer.heard == ["in alice", ended])
  }

  @Test("the same on the main actor")
  @MainActor func firstCallInsideOnMainActor() async throws {
    let world = World()
    let (inner, outer) = (MainModel(), MainModel())
    var heard: [String] = []
    outer.onLoggedIn = {
      world.store.attach(inner)
      heard = inner.told
    }
    world.store.attach(outer)
    try await world.store.loggedIn(World.alice)
    #expect(heard == ["in alice"])
  }

  @Test("no lock is held while an observer runs")
  func noLock() async throws {
    let world = World()
    let store = world.store
    let seen = Locked<[SessionSnapshot]>([])
    let reader = Listener(
      onLoggedIn: { session in
        _ = session.isLive
        _ = try? session.withLease { lease in lease.user }
        let state = store.state
        seen.withLock { $0.append(state) }
        _ = store.transitions.makeAsyncIterator()
      }, onLoggedOut: { _ in _ = store.session })
    store.attach(reader)
    let key = try await store.loggedIn(World.alice)
    _ = try await store.logOut()
    #expect(seen.withLock { $0 } == [.loggedIn(key)])
  }

  @Test("all observers get the changes in one order, whatever thread they came from")
  func oneOrder() async throws {
    let world = World()
    let listeners = (0..<4).map { _ in Listener() }
    for listener in listeners { world.store.attach(listener) }
    var streams = (0..<3).map { _ in world.store.transitions(bound: 1 << 20).makeAsyncIterator() }
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            _ = try? await world.store.loggedIn(number.isMultiple(of: 2) ? World.alice : World.bob)
            _ = try? await world.store.logOut()
          }
        }
      }
    }
    _ = try await world.store.logOut()
    for listener in listeners.dropFirst() { #expect(listener.heard == listeners[0].heard) }
    let last = world.store.revision
    var sequences: [[SessionChange]] = []
    for index in streams.indices {
      var changes: [SessionChange] = []
      while changes.last?.revision != last, let change = await streams[index].next() { changes.append(change) }
      #expect(changes.map(\.revision) == Array(0...last))
      sequences.append(changes)
    }
    #expect(sequences.dropFirst().allSatisfy { $0 == sequences[0] })
  }

  @Test("attaching an observer signals no change")
  func attachingSignalsNothing() async throws {
    let world = World()
    let signals = Locked(0)
    withObservationTracking {
      _ = world.store.state
    } onChange: {
      signals.withLock { $0 += 1 }
    }
    let listener = Listener()
    world.store.attach(listener)
    _ = world.store.transitions.makeAsyncIterator()
    #expect(signals.withLock { $0 } == 0)
    try await world.store.loggedIn(World.alice)
    #expect(signals.withLock { $0 } == 1)
  }

  @Test("a reader of only the key is notified when the key changes, not by a check that found nothing")
  func signalsOfTheKey() async throws {
    let world = World()
    let signals = Locked(0)
    func track() {
      withObservationTracking {
        _ = world.store.session
      } onChange: {
        signals.withLock { $0 += 1 }
      }
    }
    track()
    await world.store.restore()
    #expect(signals.withLock { $0 } == 0)
    try await world.store.loggedIn(World.alice)
    #expect(signals.withLock { $0 } == 1)
    track()
    try await world.store.check()
    world.authority.fail(.renew, with: .unavailable(World.offline))
    _ = try? await world.store.renew()
    #expect(signals.withLock { $0 } == 1)
    try await world.rename(to: "Alice B.")
    #expect(signals.withLock { $0 } == 2)
    track()
    _ = try await world.store.logOut()
    #expect(signals.withLock { $0 } == 3)
    track()
    _ = await world.store.restore()
    #expect(signals.withLock { $0 } == 3)
  }

  @Test("the observable state shows the new state to onChange, and its last change is never lost")
  func lastChange() async throws {
    let world = World()
    let rounds = 2000
    let onChangeIsCurrent = Locked(true)
    let watcher = Task { () -> SessionSnapshot in
      while true {
        let signal = Promise<Void>()
        let (revision, state) = withObservationTracking {
          let revision = world.store.revision
          return (revision, world.store.state)
        } onChange: {
          if world.store.revision == 0 { onChangeIsCurrent.withLock { $0 = false } }
          signal.fulfil(())
        }
        if state == .loggedOut(.ended(.userAsked)), world.count(.authenticate) == rounds {
          return state
        }
        if world.store.revision != revision { continue }
        if await signal.value() == nil { return state }
      }
    }
    for _ in 0..<rounds {
      try await world.store.loggedIn(World.alice)
      _ = try await world.store.logOut()
    }
    #expect(await watcher.value == .loggedOut(.ended(.userAsked)))
    #expect(onChangeIsCurrent.withLock { $0 })
  }
}
