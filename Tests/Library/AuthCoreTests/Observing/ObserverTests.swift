import AuthCoreTesting
import ConcurrencyKit
import Dispatch
import Guards
import Observation
import Programs
import Races
import Testing

@testable import AuthCore

@Suite("Observers", .timeLimit(.minutes(10)))
struct ObserverTests: InWorld {
  let world = World()

  @Test("an observer may read, log out and log in from inside a call: no lock is held, and each command has its result")
  func insideACall() async throws {
    let results = Locked<(PendingLogout?, PendingLogin?, PendingLogin?)>((nil, nil, nil))
    let seen = Locked<[SessionSnapshot]>([])
    let switcher = Listener(
      onLoggedIn: { session in
        guard session.user.username == "alice" else { return }
        #expect(session.isLive && (try? session.withLease { lease in lease.user }) == session.user)
        let state = store.state
        seen.withLock { $0.append(state) }
        _ = store.transitions.makeAsyncIterator()
        let logout = store.beginLogOutAnyone()
        let taken = store.beginLogIn(World.bob)
        let refused = store.beginLogIn(World.alice)
        results.withLock { $0 = (logout, taken, refused) }
      }, onLoggedOut: { _ in _ = store.session })
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
    let key = try await login.value().key
    #expect(key.endReason == .userAsked && seen.withLock { $0 } == [.loggedIn(key)])
    #expect(world.vaultAgrees)
  }

  @Test("an observer that replaces a login before it has started does not use its credentials")
  func loginFromInsideALogin() async throws {
    // Logs the first login out, and another user in, before the authority gets the request.
    store.core.start(
      Observer { news in
        guard case .change(let change) = news, change.snapshot == .authenticating else { return true }
        RunOnce.run(on: store) {
          store.beginLogOutAnyone()
          store.beginLogIn(World.bob)
        }
        return true
      })
    let first = store.beginLogIn(World.alice)
    await #expect(throws: SessionError.ended(.userAsked)) { try await first.value() }
    await until { world.count(.authenticate) == 2 }
    #expect(store.session?.user.username == "bob")
    await until { world.vaultAgrees }
  }

  @Test("the first call comes before attach and open return, even while another thread notifies observers")
  func firstCall() async throws {
    let (entered, release) = (Promise<Void>(), DispatchSemaphore(value: 0))
    let key = try await store.loggedIn(World.alice)
    let slow = Listener(onLoggedIn: { session in
      guard session.user.displayName == "Alice B." else { return }
      entered.fulfil(())
      release.wait()
    })
    store.attach(slow)
    authority.setAccount("alice", password: World.alice.password, displayName: "Alice B.")
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
    try await store.logOutAnyone()
    #expect(listener.heard == ["in Alice B.", "out ended(The session was ended by logging out.)"])
    #expect(screen.told == ["follow Alice B.", "dismiss user_asked"])
  }

  @Test("no other thread makes the first call to a new observer")
  func firstCallIsHere() async throws {
    let callers = Locked<[String]>([])
    let observer = Observer { news in
      callers.withLock { $0.append(currentThread()) }
      return true
    }
    observer.add(.end)
    try await onOwnThread { observer.tell(MainActorInbox()) }
    #expect(callers.withLock { $0 } == [])
    // The first call may send a command, whose notification follows.
    let here = try await onOwnThread {
      observer.begin()
      return currentThread()
    }
    #expect(callers.withLock { $0 } == [here])
    observer.add(.end)
    observer.tell(MainActorInbox())
    #expect(callers.withLock { $0.count } == 2)
  }

  @Test("a logout that finds nobody logged in returns after the screens of the logout before were dismissed")
  func alreadyLoggedOut() async throws {
    let session = try await logInAlice()
    var second: Task<(LogoutResult, told: [String]), any Error>?
    try await whileNotifying(store, of: { [world] in try await world.rename(to: "Alice B.") }) {
      let screen = Screen(session: session)
      store.open(screen, with: session)
      store.beginLogOut(session)
      #expect(store.session == nil && screen.told == ["follow Alice B."])
      second = Task.immediate { [store] in (try await store.logOut(session), screen.told) }
    }
    let (result, told) = try await #require(second).value
    #expect(result == .alreadyLoggedOut && told == ["follow Alice B.", "dismiss user_asked"])
  }

  @Test("inside a call, the first call to another object comes before attach and open return")
  func firstCallInside() async throws {
    let heard = Locked<[[String]]>([])
    let outer = Listener(onLoggedIn: { session in
      let inner = Listener()
      store.attach(inner)
      let dead = Screen(session: session)
      store.beginLogOutAnyone()
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

  @Test("all observers get the changes in one order, whatever thread they came from")
  func oneOrder() async throws {
    let listeners = (0..<4).map { _ in Listener() }
    for listener in listeners { store.attach(listener) }
    // Each iterator of one sequence is a separate subscriber.
    let transitions = store.transitions(bound: 1 << 20)
    var streams = (0..<3).map { _ in transitions.makeAsyncIterator() }
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            _ = try? await store.loggedIn(number.isMultiple(of: 2) ? World.alice : World.bob)
            _ = try? await store.logOutAnyone()
          }
        }
      }
    }
    _ = try await store.logOutAnyone()
    for listener in listeners.dropFirst() { #expect(listener.heard == listeners[0].heard) }
    let last = store.revision
    var sequences: [[SessionChange]] = []
    for index in streams.indices {
      let changes = await streams[index].changes(to: last)
      #expect(changes.map(\.revision) == Array(0...last))
      sequences.append(changes)
    }
    #expect(sequences.dropFirst().allSatisfy { $0 == sequences[0] })
  }

  @Test(
    "a reader of only the key is notified when the key changes, not by a check that found nothing or a new observer")
  func signalsOfTheKey() async throws {
    let steps: [(changes: Int, step: () async throws -> Void)] = [
      (0, { await store.restore() }), (1, { try await store.loggedIn(World.alice) }), (0, { store.attach(Listener()) }),
      (0, { try await store.check() }),
      (
        0,
        {
          authority.fail(.renew, with: .unavailable(World.offline), calls: 1)
          _ = try? await store.renew()
        }
      ),
      (1, { try await world.rename(to: "Alice B.") }), (1, { try await store.logOutAnyone() }),
      (0, { await store.restore() }),
    ]
    for (expected, step) in steps {
      let changes = Counter.ofChanges { _ = store.session }
      try await step()
      #expect(changes.value == expected)
    }
  }

  @Test("the observable state shows the new state to onChange, and its last change is never lost")
  func lastChange() async throws {
    let rounds = Effort.isComplete ? 2000 : 300
    let stale = Counter()
    let watcher = Task { () -> SessionSnapshot in
      while true {
        let signal = Promise<Void>()
        let (revision, state) = withObservationTracking {
          let revision = store.revision
          return (revision, store.state)
        } onChange: {
          if store.revision == 0 { stale.add(1) }
          signal.fulfil(())
        }
        if state == .loggedOut(.ended(.userAsked)), world.count(.authenticate) == rounds {
          return state
        }
        if store.revision != revision { continue }
        if await signal.value() == nil { return state }
      }
    }
    for _ in 0..<rounds {
      try await store.loggedIn(World.alice)
      _ = try await store.logOutAnyone()
    }
    #expect(await watcher.value == .loggedOut(.ended(.userAsked)))
    #expect(stale.value == 0)
  }

  @Test("a detached observer gets no more calls, not even one under way, and others do")
  func detach() async throws {
    let (other, spared) = (Listener(), Listener())
    let first = Listener(onLoggedIn: { _ in store.detach(spared) })
    for listener in [first, other, spared] { store.attach(listener) }
    try await store.loggedIn(World.alice)
    #expect(first.heard == ["in alice"] && spared.heard == [])
    for _ in 1...2 { store.detach(first) }
    try await store.logOutAnyone()
    #expect(first.heard == ["in alice"] && other.heard.count == 2)
    store.attach(first)
    #expect(first.heard.count == 2)
  }
}
