import AuthAccounts
import AuthCore
import AuthCoreTesting
import AuthSQLite
import Dispatch
import Glibc
import Races
import Services
import Synchronization
import Testing

@testable import AuthService

@Suite("The changes that a service tells", .timeLimit(.minutes(10))) struct ChangesTests {
  private func wait(_ source: any ChangeSource) -> Bool {
    var polled = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 60_000) == 1
  }

  /// A service that lets everyone in, and what it does with a subscription; false ends the
  /// connection.
  private func service(
    _ subscribe: @escaping @Sendable (TestPeer, UInt32, SessionToken, _ connection: Int) -> Bool
  ) -> TestService {
    TestService { peer, connection in
      while let frame = peer.receive() {
        switch frame {
        case .request(let number, _): peer.send(.response(number, now: nil, Samples.response(.grant)))
        case .subscribe(let number, let token): if !subscribe(peer, number, token, connection) { return }
        case .hello, .named: break
        }
      }
    }
  }

  @Test("a source listens only with a session, on a connection of its own")
  func subscription() throws {
    let subscribed = Mutex<[SessionToken]>([])
    let change = DispatchSemaphore(value: 0)
    let service = service { peer, number, token, connection in
      subscribed.withLock { $0.append(token) }
      peer.send(.response(number, now: nil, .done))
      change.wait()
      peer.send(.changed)
      return connection != 1
    }
    let authority = service.authority()
    let source = authority.changes()
    #expect(try source.listen() == false)
    #expect(source.descriptor == -1 && source.longestWait == .seconds(5))
    _ = try authority.logIn()
    #expect(source.longestWait == .zero, "it does not listen to the session that began")
    #expect(try source.listen())
    #expect(source.longestWait == nil)
    change.signal()
    #expect(wait(source))
    #expect(try source.drain())
    // The first subscription ended, which is a reason to look, and there is a second one.
    while source.descriptor >= 0 {
      #expect(wait(source))
      #expect(try source.drain())
    }
    #expect(try source.listen())
    change.signal()
    #expect(wait(source))
    #expect(try source.drain())
    #expect(try source.drain() == false)
    #expect(subscribed.withLock { $0 } == [Samples.token, Samples.token])
    #expect(service.connections == 3)
  }

  @Test("a look at the session and a subscription do not wait for a password")
  func hashing() throws {
    let (asked, hashed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let service = TestService { peer, _ in
      while let frame = peer.receive() {
        switch frame {
        case .request(let number, let body):
          let operation = try? Request(body, of: Operations.all).operation
          if operation?.name == Operations.reauthenticate.name {
            asked.signal()
            // Without end, this would wait for the look, and the look for this.
            _ = hashed.wait(timeout: .now() + 60)
          }
          peer.send(.response(number, now: nil, Samples.response(.grant)))
        case .subscribe(let number, _): peer.send(.response(number, now: nil, .done))
        case .hello, .named: break
        }
      }
    }
    let authority = service.authority()
    _ = try authority.logIn()
    let isHashed = Mutex(false)
    let password = startedThread {
      _ = try? authority.reauthenticate(Samples.token, password: alicePassword)
      isHashed.withLock { $0 = true }
    }
    asked.wait()
    let source = authority.changes()
    _ = try authority.ask(Operations.resume, Samples.token)
    #expect(try source.listen())
    #expect(!isHashed.withLock { $0 }, "they waited for the password")
    hashed.signal()
    pthread_join(password, nil)
    _ = try authority.ask(Operations.resume, Samples.token)
    #expect(service.connections == 3)
  }

  @Test("a refused subscription does not listen, and the next read reports why")
  func refused() throws {
    let service = service { peer, number, _, _ in
      peer.send(.failure(number, now: nil, .session(.ended(.revoked))))
      return true
    }
    let authority = service.authority()
    _ = try authority.logIn()
    let source = authority.changes()
    #expect(try source.listen() == false)
    #expect(source.descriptor == -1)
    #expect(source.longestWait == .seconds(5), "it asks without end")
  }

  /// Why the vault lacks a new token.
  enum Unsaved: CaseIterable { case fullDisk, killedBefore, passwordChangedOnly }

  @Test(
    "listening does not confirm a token that the vault lacks, so the next start finds the session",
    arguments: Unsaved.allCases)
  func unsaved(why: Unsaved) async throws {
    let (work, embedded) = try Workspace.inhabited(isShared: true)
    let service = try ServedRules(embedded.rules)
    let (vault, authority, clock) = (InMemoryVault(), try service.authority(), ManualClock(at: try work.clock.now()))
    let store = SessionStore(authority: authority, vault: vault, clock: clock)
    let session = try await store.loggedIn(.password(username: "bob", password: bobPassword))
    let source = authority.changes()
    #expect(try source.listen())
    switch why {
    case .fullDisk:
      vault.failWrites(VaultError("The disk is full."))
      let failure = await #expect(throws: SessionError.self) { try await store.reauthenticate(password: bobPassword) }
      #expect(failure?.code == "not_saved")
    case .killedBefore:
      vault.hold(.replace)
      Task { try await store.reauthenticate(password: bobPassword) }
      await vault.waitUntilHeld(.replace)
    case .passwordChangedOnly:
      let fresh = try FreshSession(session)
      try session.withLease { (lease) throws(BackendError) in
        let new = Secret("a newer good passphrase")
        _ = try authority.changePassword(from: bobPassword, to: new, for: fresh, under: lease)
      }
    }
    _ = try source.listen()
    let next = SessionStore(authority: try service.authority(), vault: vault, clock: clock)
    let outcome = await next.restore()
    #expect(outcome == next.session.map { .loggedIn($0) })
    vault.release(.replace)
  }
}
