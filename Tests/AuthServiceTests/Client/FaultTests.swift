import AuthBackend
import AuthCore
import Foundation
import Services
import Synchronization
import Testing

@testable import AuthService

/// What a peer does wrong, and what the client says of it.
@Suite struct ClientFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The code for a read.
    let code: String
    /// The code for a change that may not be repeated.
    let changeCode: String
    let serve: @Sendable (TestPeer) -> Void

    init(_ name: String, _ code: String, _ changeCode: String? = nil, _ serve: @escaping @Sendable (TestPeer) -> Void) {
      testDescription = name
      self.code = code
      self.changeCode = changeCode ?? code
      self.serve = serve
    }
  }

  private static func greeted(
    _ name: String, _ code: String, _ act: @escaping @Sendable (TestPeer, UInt32) -> Void
  ) -> Fault {
    Fault(name, code, "outcome_unknown") { peer in
      peer.send(.hello(TestService.hello))
      if let (number, _) = peer.request() { act(peer, number) }
    }
  }

  private static let busy = BackendError.unavailable(.serviceBusy, "5")

  static let faults = [
    Fault("it closes at once", "service_lost") { _ in },
    Fault("it says nothing", "service_silent") { $0.waitForEnd() },
    Fault("it has another version", "service_other_version") {
      $0.send(.otherVersion(major: 2))
      $0.waitForEnd()
    },
    Fault("it speaks another protocol", "service_garbled") {
      $0.send(Array("SSH-2.0-OpenSSH_9.2p1 Debian\r\n".utf8))
      $0.waitForEnd()
    },
    Fault("its first frame is no hello", "service_garbled") {
      $0.send(.lookAgain)
      $0.waitForEnd()
    },
    Fault("it lets nobody in now", "service_busy") {
      $0.send(.failure(Frames.unnumbered, now: nil, busy))
      $0.waitForEnd()
    },
    Fault("it refuses the connection after its hello", "service_busy") {
      $0.send(.hello(TestService.hello))
      if $0.request() != nil { $0.send(.failure(Frames.unnumbered, now: nil, busy)) }
    },
    Fault("it does not understand the request", "message_invalid") {
      $0.send(.hello(TestService.hello))
      if $0.request() != nil {
        $0.send(.failure(Frames.unnumbered, now: nil, .unavailable(.messageInvalid, "no such tag")))
      }
    },
    Fault("it says half of its hello", "service_lost") {
      $0.send(Array(ServerFrame.hello(TestService.hello).encoded().dropLast(3)))
    },
    greeted("it closes before its answer", "service_lost") { _, _ in },
    greeted("it closes inside its answer", "service_lost") { peer, number in
      peer.send(Array(ServerFrame.answer(number, now: nil, Samples.answer(.profile)).encoded().dropLast(2)))
    },
    greeted("it stops inside its answer", "service_silent") { peer, number in
      peer.send(Array(ServerFrame.answer(number, now: nil, Samples.answer(.profile)).encoded().dropLast(2)))
      peer.waitForEnd()
    },
    greeted("it does not answer", "service_silent") { peer, _ in peer.waitForEnd() },
    greeted("it answers with garbage", "service_garbled") { peer, _ in
      peer.send([0, 0, 0, 3, 2, 9, 9])
      peer.waitForEnd()
    },
    greeted("its answer is too large", "service_garbled") { peer, _ in
      peer.send([0, 1, 0, 1])
      peer.waitForEnd()
    },
    greeted("it answers another question", "service_garbled") { peer, number in
      peer.send(.answer(number + 1, now: nil, .done))
      peer.waitForEnd()
    },
    greeted("it answers before it is asked again", "service_garbled") { peer, number in
      peer.send(.lookAgain)
      peer.waitForEnd()
    },
  ]

  @Test("a fault of the service is a clear error, for a read and for a change", arguments: faults)
  func fault(_ fault: Fault) throws {
    let service = TestService { peer, _ in fault.serve(peer) }
    for (request, code) in [
      (BackendRequest.profile(Samples.token), fault.code), (.rename("Alice", Samples.token), fault.changeCode),
    ] {
      let connection = service.connection()
      let error = failure { try connection.perform(request) }
      #expect(error?.code == code)
      #expect([Self.busy.code, "message_invalid"].contains(code) || error?.description.contains(service.path) == true)
      #expect(error?.asUnavailability.hint.isEmpty == false)
      guard case .unavailable = error?.kind else {
        Issue.record("\(String(describing: error)) is not unavailable")
        continue
      }
    }
  }

  @Test("an answer of another kind than was asked for is refused by the backend")
  func otherKind() throws {
    let service = TestService(answering: .count(3))
    let authority = ServiceAuthority(service.connection())
    #expect(failure { try authority.checkForLogins() }?.code == "service_garbled")
    let changed = failure { try authority.register(username: "carol", password: Samples.password, displayName: nil) }
    #expect(changed?.code == "outcome_unknown")
    let token = Samples.token
    let order = try PaymentOrder(amount: Amount("1"), payee: Username("bob"))
    let paid = failure { try service.connection().perform(.pay(order, token)) }
    #expect(paid?.code == "outcome_unknown")
    #expect(paid?.values.last?.hasPrefix("--idempotency-key auto-") == true)
    let page = Page(within: .all, before: nil, limit: 10)
    let error = failure { try service.connection().perform(.events(.own, page, token)) }
    #expect(error?.code == "service_garbled")
  }

  @Test("without a socket, and without anybody behind it, it says where it looked")
  func unreachable() {
    let service = TestService { _, _ in }
    let connection = service.connection()
    service.stop()
    let error = failure { try connection.perform(.checkForLogins) }
    #expect(error?.code == "service_unreachable")
    #expect(error?.description.contains(service.path) == true)
  }

  @Test("a socket that says nothing is not waited for as long as a person who could be asked")
  func silent() {
    let service = TestService { peer, _ in peer.waitForEnd() }
    let dialling = Dialling(address: .unix(service.path), limits: .short, mayAsk: true)
    let error = failure { _ = try dialling.connect() }
    #expect(error?.code == "service_silent")
  }

  /// What a request that reached the service says about it.
  @Test("each request is repeated after a lost answer, or its outcome is unknown", arguments: RequestTag.allCases)
  func lost(_ tag: RequestTag) throws {
    let request = try Samples.request(tag)
    let received = Mutex<[[UInt8]]>([])
    let service = TestService { peer, connection in
      peer.send(.hello(TestService.hello))
      while let (number, request) = peer.request() {
        let bytes = (try? ClientFrame.request(0, request).encoded()) ?? []
        received.withLock { $0.append(bytes) }
        if connection == 0 { return }
        peer.send(.answer(number, now: nil, Samples.answer(.done)))
      }
    }
    let connection = service.connection()
    let error = failure { try connection.perform(request) }
    let seen = received.withLock { $0 }
    switch request.traits.effect {
    case .read, .repeatable:
      #expect(seen.count == 2 && seen.first == seen.last, "the repetition is another request")
      // A list wants a list.
      #expect(error == nil || error?.code == "service_garbled")
    case .once:
      #expect(seen.count == 1)
      #expect(error?.code == "outcome_unknown")
    }
  }

  @Test("what the service said about itself is known while a request waits for its answer")
  func knownMeanwhile() throws {
    let (isAsked, mayAnswer, isOver) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let service = TestService { peer, _ in
      peer.send(.hello(TestService.hello))
      guard let (number, _) = peer.request() else { return }
      isAsked.signal()
      mayAnswer.wait()
      peer.send(.answer(number, now: nil, .done))
    }
    let authority = ServiceAuthority(service.connection())
    Thread.detachNewThread {
      try? authority.checkForLogins()
      isOver.signal()
    }
    isAsked.wait()
    #expect(authority.policy == .standard)
    #expect(authority.connection?.database == TestService.hello.database)
    _ = try authority.clock.now()
    // Whoever waits for the request would get here when it is given up.
    #expect(isOver.wait(timeout: .now()) == .timedOut)
    mayAnswer.signal()
    isOver.wait()
  }

  @Test("a service that is lost again and again is given up, and a change of its state is unknown")
  func lostAgain() throws {
    let service = TestService { peer, _ in
      peer.send(.hello(TestService.hello))
      _ = peer.request()
    }
    let connection = service.connection()
    #expect(failure { try connection.perform(.profile(Samples.token)) }?.code == "service_lost")
    #expect(service.connections == 3)
    let login = try Samples.request(.logIn)
    #expect(failure { try connection.perform(login) }?.code == "outcome_unknown")
  }

  @Test("a service that went away between two requests is found again, also by what may not be repeated")
  func restarted() throws {
    let service = TestService(answering: .done)
    let connection = service.connection()
    let request = try Samples.request(.deleteOwnAccount)
    _ = try connection.perform(request)
    service.drop()
    _ = try connection.perform(request)
    #expect(service.connections == 2)
  }

  @Test("a service that comes back with another database is sent nothing more")
  func otherDatabase() throws {
    let seen = Mutex(0)
    let service = TestService { peer, connection in
      let database = connection == 0 ? TestService.hello.database : String(repeating: "f", count: 32)
      peer.send(.hello(ServiceHello(database: database, now: nil, policy: .standard)))
      while peer.request() != nil {
        seen.withLock { $0 += 1 }
        return
      }
    }
    let connection = service.connection()
    let error = failure { try connection.perform(.profile(Samples.token)) }
    #expect(error?.code == "service_lost")
    #expect(seen.withLock { $0 } == 1)
    #expect(failure { try connection.perform(.checkForLogins) }?.code == "session_of_other_database")
  }

  @Test("a token of another database is not sent")
  func foreignToken() throws {
    let seen = Mutex(0)
    let service = TestService { peer, _ in
      peer.send(.hello(TestService.hello))
      while peer.request() != nil { seen.withLock { $0 += 1 } }
    }
    let connection = service.connection()
    let foreign = SessionToken(bytes: [UInt8](repeating: 0xEE, count: 16) + Samples.token.bytes)
    let error = failure { try connection.perform(.resume(foreign)) }
    #expect(error?.code == "session_of_other_database")
    #expect(error?.description.contains("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee") == true)
    #expect(error?.description.contains(TestService.hello.database) == true)
    #expect(seen.withLock { $0 } == 0)
  }
}
