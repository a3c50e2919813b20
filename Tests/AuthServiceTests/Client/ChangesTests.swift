import AuthBackend
import AuthCore
import Dispatch
import Glibc
import Services
import Synchronization
import Testing

@testable import AuthService

@Suite("The changes that a service tells") struct ChangesTests {
  private func wait(_ source: any ChangeSource) -> Bool {
    var polled = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 10_000) == 1
  }

  @Test("nothing is listened to without a session, then what concerns it, on a connection of its own")
  func subscription() throws {
    let subscribed = Mutex<[SessionToken]>([])
    let change = DispatchSemaphore(value: 0)
    let service = TestService { peer, connection in
      while let frame = peer.receive() {
        switch frame {
        case .request(let number, _): peer.send(.answer(number, now: nil, .grant(Samples.grant)))
        case .subscribe(let number, let token):
          subscribed.withLock { $0.append(token) }
          peer.send(.answer(number, now: nil, .done))
          change.wait()
          peer.send(.lookAgain)
          if connection == 1 { return }
        case .hello, .named: break
        }
      }
    }
    let authority = ServiceAuthority(service.connection())
    let source = authority.changes()
    #expect(try source.listen() == false)
    #expect(source.descriptor == -1 && source.longestWait == .seconds(5))
    _ = try authority.logIn(.alice, limits: .standard)
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

  @Test("a subscription that is refused is no subscription, and the next look says why")
  func refused() throws {
    let service = TestService { peer, _ in
      while let frame = peer.receive() {
        switch frame {
        case .request(let number, _): peer.send(.answer(number, now: nil, .grant(Samples.grant)))
        case .subscribe(let number, _): peer.send(.failure(number, now: nil, .session(.ended(.revoked))))
        case .hello, .named: break
        }
      }
    }
    let authority = ServiceAuthority(service.connection())
    _ = try authority.logIn(.alice, limits: .standard)
    let source = authority.changes()
    #expect(try source.listen() == false)
    #expect(source.descriptor == -1)
    #expect(source.longestWait == .seconds(5), "it asks without end")
  }
}
