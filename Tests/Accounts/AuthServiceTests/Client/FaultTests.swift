import AuthAccounts
import AuthAccountsTesting
import AuthCore
import Foundation
import Glibc
import Programs
import Services
import Synchronization
import Testing

@testable import AuthService

/// What a peer does wrong, and what the client says of it.
@Suite(.timeLimit(.minutes(10))) struct ClientFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The code for a read, and for a change that may not be repeated.
    let code: String
    let changeCode: String
    /// What the peer says first.
    var greeting = ServerFrame.hello(TestService.hello).encoded()
    /// What it says to a request, if it waits for one.
    var answer: (@Sendable (UInt32) -> [UInt8])?
    /// Whether it closes the connection then.
    let closes: Bool

    /// A fault before the client could send anything.
    static func first(_ name: String, _ code: String, _ greeting: [UInt8], closes: Bool = false) -> Fault {
      Fault(testDescription: name, code: code, changeCode: code, greeting: greeting, closes: closes)
    }

    /// A fault after a request.
    static func then(
      _ name: String, _ code: String, change: String = "outcome_unknown", closes: Bool = false,
      _ answer: @escaping @Sendable (UInt32) -> [UInt8]
    ) -> Fault {
      Fault(testDescription: name, code: code, changeCode: change, answer: answer, closes: closes)
    }
  }

  private static func refusal(_ code: BackendError.FailureCode, _ value: String) -> [UInt8] {
    ServerFrame.failure(Frames.unnumbered, now: nil, .unavailable(code, value)).encoded()
  }

  private static func half(_ number: UInt32) -> [UInt8] {
    Array(ServerFrame.response(number, now: nil, Samples.response(.grant)).encoded().dropLast(2))
  }

  static let faults: [Fault] = [
    .first("it closes at once", "service_lost", [], closes: true),
    .first("it says nothing", "service_silent", []),
    .first("it has another version", "service_other_version", Frames.framed([1, 0, 2, 9, 9, 9])),
    .first("it speaks another protocol", "service_garbled", Array("SSH-2.0-OpenSSH_9.2p1 Debian\r\n".utf8)),
    .first("its first frame is no hello", "service_garbled", ServerFrame.changed.encoded()),
    .first("it lets nobody in now", "service_busy", refusal(.serviceBusy, "5")),
    .first(
      "it says half of its hello", "service_lost", ServerFrame.hello(TestService.hello).encoded().dropLast(3),
      closes: true),
    .then("it refuses the connection after its hello", "service_busy", change: "service_busy") { _ in
      refusal(.serviceBusy, "5")
    },
    .then("it does not understand the request", "message_invalid", change: "message_invalid") { _ in
      refusal(.messageInvalid, "no such tag")
    },
    .then("it closes before its answer", "service_lost", closes: true) { _ in [] },
    .then("it closes inside its answer", "service_lost", closes: true) { half($0) },
    .then("it stops inside its answer", "service_silent") { half($0) },
    .then("it does not answer", "service_silent") { _ in [] },
    .then("it answers with garbage", "service_garbled") { _ in [0, 0, 0, 3, 2, 9, 9] },
    .then("its answer is too large", "service_garbled") { _ in [0, 1, 0, 1] },
    .then("it answers another question", "service_garbled") { ServerFrame.response($0 + 1, now: nil, .done).encoded() },
    .then("it answers before it is asked again", "service_garbled") { _ in ServerFrame.changed.encoded() },
  ]

  @Test("each fault of the service is a clear error, for a read and for a change", arguments: faults)
  func fault(_ fault: Fault) throws {
    let service = TestService(hello: nil) { peer, _ in
      peer.send(fault.greeting)
      if let answer = fault.answer, let (number, _) = peer.request() { peer.send(answer(number)) }
      if !fault.closes { peer.waitForEnd() }
    }
    let limits =
      fault.code == "service_silent" ? ClientLimits.short(inSilence: fault.answer == nil) : .patient
    for (request, code) in [
      (Operations.profile(Samples.token), fault.code), (Operations.rename("Alice", Samples.token), fault.changeCode),
    ] {
      let error = try #require(failure { try request.perform(service.authority(limits)) })
      #expect(error.code == code)
      #expect(["service_busy", "message_invalid"].contains(code) || error.description.contains(service.path))
      guard case .unavailable(let failure) = error.kind, !failure.hint.isEmpty else {
        Issue.record("\(error) is not unavailable, or has no hint")
        continue
      }
    }
  }

  @Test("an answer of another kind than the request needs is refused")
  func otherKind() throws {
    let service = TestService(answering: { _ in Samples.response(.count) })
    let authority = service.authority()
    #expect(code { try authority.checkForLogins() } == "service_garbled")
    let page = Page(within: .all, before: nil, limit: 10)
    #expect(code { try authority.ask(Operations.events, .own, page, Samples.token) } == "service_garbled")
    #expect(
      code { try authority.register(username: "carol", password: Samples.password, displayName: nil) }
        == "outcome_unknown")
    let order = try PaymentOrder(amount: Amount("1"), payee: Username("bob"))
    let paid = failure { try service.authority().ask(Operations.pay, order, Samples.token) }
    #expect(paid?.code == "outcome_unknown")
    #expect(paid?.values.last?.hasPrefix("--idempotency-key auto-") == true)
  }

  @Test("a silent socket has the timeout of a connection, not that of a prompt")
  func silent() {
    let service = TestService(hello: nil) { peer, _ in peer.waitForEnd() }
    let dialling = Dialling(address: .unix(service.path), limits: .short(inSilence: true), mayAsk: true)
    #expect(code { _ = try dialling.connect() } == "service_silent")
  }

  @Test("a socket on which nobody accepts is silent, with its queue empty and with its queue full")
  func notAccepting() throws {
    let folder = ShortFolder()
    let path = folder.path + "/s"
    let listener = listeningSocket(at: path)
    defer { close(listener) }
    try #require(listen(listener, 1) == 0)
    let dialling = Dialling(address: .unix(path), limits: .short(inSilence: true), mayAsk: false)
    // The queue has two places.
    let waiting = try (0..<2).map { _ in try #require(connectedSocket(to: path)) }
    defer { for descriptor in waiting { close(descriptor) } }
    let error = failure { _ = try dialling.connect() }
    #expect(error?.code == "service_silent" && error?.description.contains(path) == true)
  }

  @Test("completions hardly wait for a service, and ssh does not prompt or print")
  func hurried() throws {
    let service = TestService(hello: nil) { peer, _ in peer.waitForEnd() }
    let limits = ClientLimits.hurried(at: .unix(service.path))
    #expect(limits.connecting == .milliseconds(250) && limits.answer == limits.connecting)
    #expect(failure { try ServiceAuthority(.unix(service.path), limits: limits).checkForLogins() } != nil)
    let address = try ServiceAddress("ssh://host")
    guard case .ssh(let hosts, _) = address else { preconditionFailure("it is an address of ssh") }
    let arguments = Dialling(address: address, limits: .hurried(at: address), mayAsk: false).arguments(
      to: hosts[0], nil)
    #expect(Set(arguments).isSuperset(of: ["BatchMode=yes", "-q", "ConnectTimeout=1"]))
  }

  /// What a request that reached the service says about it.
  @Test("each request is repeated after a lost answer, or its outcome is unknown", arguments: Sample.all)
  func lost(_ sample: Sample) throws {
    let request = try Samples.request(sample)
    let received = Mutex<[[UInt8]]>([])
    let service = TestService(answering: { request in
      received.withLock { received in
        received.append((try? request.body(.plain).bytes) ?? [])
        return received.count == 1 ? nil : Samples.response(request.operation.kind)
      }
    })
    let code = code { try request.perform(service.authority()) }
    let seen = received.withLock { $0 }
    switch request.operation.lost {
    case .readAgain, .repeatable:
      #expect(seen.count == 2 && seen.first == seen.last && !seen.contains([]), "the repetition is another request")
      #expect(code == nil)
    case .once:
      #expect(seen.count == 1)
      #expect(code == "outcome_unknown")
    }
  }

  @Test("the hello of the service can be read while a request waits for its answer")
  func knownMeanwhile() throws {
    let (isAsked, mayAnswer, isOver) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let service = TestService(answering: { _ in
      isAsked.signal()
      mayAnswer.wait()
      return WireBody.done
    })
    let authority = service.authority()
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

  @Test("after three lost answers a read fails, and the outcome of a change is unknown")
  func lostAgain() throws {
    let service = TestService(answering: { _ in nil })
    let authority = service.authority()
    #expect(code { try authority.ask(Operations.profile, Samples.token) } == "service_lost")
    #expect(service.connections == 3)
    #expect(code { try authority.logIn() } == "outcome_unknown")
  }

  @Test(
    "the client reconnects to a service that restarted between two requests, also for a change that may not be repeated"
  )
  func restarted() throws {
    let service = TestService(answering: { _ in WireBody.done })
    let authority = service.authority()
    try authority.ask(Operations.deleteOwnAccount, Samples.token)
    service.drop()
    try authority.ask(Operations.deleteOwnAccount, Samples.token)
    #expect(service.connections == 2)
  }

  @Test("the client sends nothing to a service that comes back with another database")
  func otherDatabase() throws {
    let seen = Mutex(0)
    let service = TestService(hello: nil) { peer, connection in
      let database = connection == 0 ? TestService.hello.database : String(repeating: "f", count: 32)
      peer.send(.hello(ServiceHello(database: database, now: nil, policy: .standard)))
      if peer.request() != nil { seen.withLock { $0 += 1 } }
    }
    let authority = service.authority()
    #expect(code { try authority.ask(Operations.profile, Samples.token) } == "service_lost")
    #expect(seen.withLock { $0 } == 1)
    #expect(code { try authority.ask(Operations.checkForLogins) } == "session_of_other_database")
  }

  @Test("a token of another database is not sent")
  func foreignToken() throws {
    let seen = Mutex(0)
    let service = TestService(answering: { _ in
      seen.withLock { $0 += 1 }
      return nil
    })
    let foreign = SessionToken(bytes: [UInt8](repeating: 0xEE, count: 16) + Samples.token.bytes)
    let error = failure { try service.authority().ask(Operations.resume, foreign) }
    #expect(error?.code == "session_of_other_database")
    #expect(error?.values.first == String(repeating: "ee", count: 16))
    #expect(error?.values.last == TestService.hello.database)
    #expect(seen.withLock { $0 } == 0)
  }
}
