import AuthBackend
import AuthCore
import Testing

@testable import AuthService

@Suite("The protocol of the service")
struct WireTests {
  /// Numbers that a seed repeats.
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 11 ^ state << 32
    }
  }

  @Test("every frame of a client is read as it was written")
  func clientFrames() throws {
    for frame in try Samples.clientFrames() {
      let bytes = try frame.encoded()
      let read = try ClientFrame(payload: Array(bytes.dropFirst(4)))
      #expect(try read.encoded() == bytes, "\(frame)")
      #expect("\(read)" == "\(frame)")
    }
  }

  @Test("every frame of a service is read as it was written")
  func serverFrames() throws {
    for frame in try Samples.serverFrames() {
      let bytes = frame.encoded()
      let read = try ServerFrame(payload: Array(bytes.dropFirst(4)))
      #expect(read.encoded() == bytes, "\(frame)")
      #expect("\(read)" == "\(frame)")
    }
  }

  @Test("passwords, tokens and codes are read as they were written")
  func secrets() throws {
    func read(_ tag: RequestTag) throws -> BackendRequest {
      let frame = ClientFrame.request(1, try Samples.request(tag))
      guard case .request(_, let request) = try ClientFrame(payload: Array(try frame.encoded().dropFirst(4))) else {
        throw WireFault.invalid("frame")
      }
      return request
    }
    guard case .changePassword(let old, let new, let token, let newToken) = try read(.changePassword),
      case .recover(_, let code, let password) = try read(.recover),
      case .logIn(let who, _, let session) = try read(.logIn)
    else { throw WireFault.invalid("request") }
    #expect([old, password, who.password] == [Samples.password, Samples.password, Samples.password])
    #expect(new == Secret("another"))
    #expect([token, newToken, session.token] == [Samples.token, Samples.newToken, Samples.newToken])
    #expect(code == Samples.code)
    #expect(who.username == "alice")
  }

  @Test("a frame that ends early or late is refused at every byte")
  func truncation() throws {
    for frame in try Samples.clientFrames() {
      let payload = Array(try frame.encoded().dropFirst(4))
      for end in payload.indices {
        #expect(throws: WireFault.self) { try ClientFrame(payload: Array(payload[..<end])) }
      }
      #expect(throws: WireFault.trailing(bytes: 1)) { try ClientFrame(payload: payload + [0]) }
    }
    for frame in try Samples.serverFrames() {
      let payload = Array(frame.encoded().dropFirst(4))
      for end in payload.indices {
        #expect(throws: WireFault.self) { try ServerFrame(payload: Array(payload[..<end])) }
      }
      #expect(throws: WireFault.trailing(bytes: 1)) { try ServerFrame(payload: payload + [0]) }
    }
  }

  @Test("bytes that nobody wrote are read or refused, and read again the same")
  func randomBytes() throws {
    var random = Random(state: 28)
    let client = try Samples.clientFrames().map { try $0.encoded() }
    let server = try Samples.serverFrames().map { $0.encoded() }
    func changed(_ frames: [[UInt8]]) -> [UInt8] {
      guard Bool.random(using: &random), var payload = frames.randomElement(using: &random)?.dropFirst(4) else {
        return (0..<Int.random(in: 0..<80, using: &random)).map { _ in .random(in: .min ... .max, using: &random) }
      }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        payload[payload.indices.randomElement(using: &random) ?? 0] = .random(in: .min ... .max, using: &random)
      }
      return Array(payload)
    }
    var (read, refused) = (0, 0)
    for _ in 0..<20_000 {
      if let frame = try? ClientFrame(payload: changed(client)) {
        #expect(throws: Never.self) { try ClientFrame(payload: Array(try frame.encoded().dropFirst(4))) }
        read += 1
      } else {
        refused += 1
      }
      if let frame = try? ServerFrame(payload: changed(server)) {
        #expect(throws: Never.self) { try ServerFrame(payload: Array(frame.encoded().dropFirst(4))) }
        read += 1
      } else {
        refused += 1
      }
    }
    #expect(read > 1000 && refused > 1000)
  }

  @Test("what a service says in an error moves no cursor")
  func controlCharacters() throws {
    let title = "\u{1B}]0;x\u{7}\u{202E}"
    for error in [
      BackendError(Unavailability(.busy, title, hint: title, code: "service_busy")),
      BackendError.unavailable(.serviceBusy, title),
      BackendError(.refused, title, [title]),
    ] {
      let frame = ServerFrame.failure(1, now: nil, error).encoded()
      guard case .failure(_, _, let read) = try ServerFrame(payload: Array(frame.dropFirst(4))) else {
        Issue.record("no error")
        continue
      }
      let shown = ([read.code, read.asUnavailability.description, read.asUnavailability.hint] + read.values).joined()
      #expect(!shown.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) })
    }
  }

  @Test("what no value of its type has is refused")
  func invalidValues() throws {
    func reading<Value: WireValue>(_: Value.Type, after write: (WireWriter) -> Void) throws -> Value {
      let writer = WireWriter(for: .plain)
      write(writer)
      var reader = WireReader(Array(writer.frame.dropFirst(4)), for: .plain)
      return try reader.take()
    }
    #expect(throws: WireFault.unknownTag(99, of: "RequestTag")) {
      try reading(BackendRequest.self) { $0.byte(99) }
    }
    #expect(throws: WireFault.unknownTag(2, of: "flag")) { try reading(Bool.self) { $0.byte(2) } }
    for tag in [0, 7, 255] as [UInt8] {
      #expect(throws: WireFault.unknownTag(tag, of: "Cause")) {
        try reading(Unavailability.Cause.self) { $0.byte(tag) }
      }
    }
    #expect(throws: WireFault.notText) { try reading(String.self) { $0.data([0xFF]) } }
    #expect(throws: WireFault.invalid("Role")) { try reading(Role.self) { $0.put("owner") } }
    #expect(throws: WireFault.invalid("user name")) { try reading(Username.self) { $0.put("a b") } }
    #expect(throws: WireFault.invalid("amount of money")) { try reading(Amount.self) { $0.put(Int64(0)) } }
    #expect(throws: WireFault.invalid("duration")) { try reading(Duration.self) { $0.put(Int64.max, Int64.max) } }
    #expect(throws: WireFault.truncated) { try reading([String].self) { $0.put(UInt32.max) } }
  }

  @Test("frames are taken out of a stream of any pieces")
  func stream() throws {
    let frames = try Samples.serverFrames().map { $0.encoded() }
    for size in [1, 3, 1000] {
      var (buffer, found) = (FrameBuffer(), [[UInt8]]())
      var rest = frames.flatMap(\.self)[...]
      while !rest.isEmpty {
        buffer.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let payload = try buffer.next() { found.append(payload) }
      }
      #expect(found == frames.map { Array($0.dropFirst(4)) })
      #expect(!buffer.isInsideFrame)
    }
  }

  @Test(
    "a length that no frame has is refused before its bytes arrive", arguments: [0, Frames.longest + 1, 0xFFFF_FFFF])
  func lengths(_ length: Int) {
    var buffer = FrameBuffer()
    buffer.append((0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) })
    #expect(throws: WireFault.frameLength(length)) { try buffer.next() }
  }

  @Test("the longest frame passes, and a longer one is not written")
  func longest() throws {
    let longest = Frames.longest - 4 - 1 - 4 - 1
    let fits = try ClientFrame.request(1, .checkUsername(String(repeating: "a", count: longest))).encoded()
    #expect(fits.count == Frames.longest + 4)
    var buffer = FrameBuffer()
    buffer.append(fits)
    #expect(try buffer.next()?.count == Frames.longest)
    #expect(throws: WireFault.frameLength(Frames.longest + 1)) {
      try ClientFrame.request(1, .checkUsername(String(repeating: "a", count: longest + 1))).encoded()
    }
    let answer = ServerFrame.answer(3, now: nil, .receipts(Array(repeating: Samples.receipt, count: 2000))).encoded()
    guard case .failure(3, _, let error) = try ServerFrame(payload: Array(answer.dropFirst(4))) else {
      Issue.record("an answer that is too long became no failure")
      return
    }
    #expect(error.code == "answer_too_long")
  }

  @Test("a page of the longest rows fits a frame")
  func pages() throws {
    let name = String(repeating: "n", count: 64)
    let user = User(
      id: UserID(rawValue: "u\(Int64.max)"), username: name, displayName: String(repeating: "ä", count: 128),
      role: .administrator)
    let account = AccountSummary(
      user: user, isDisabled: true, createdAt: WallTime(microseconds: 1), failedAttempts: 1,
      throttle: .wait(.seconds(1)), lastLoginAt: WallTime(microseconds: 1))
    let event = Event(
      id: 1, at: WallTime(microseconds: 1), name: name, account: name, actor: name,
      session: .hashed(name), detail: String(repeating: "d", count: 512))
    let text = String(repeating: "t", count: SessionOrigin.longest)
    let session = SessionSummary(
      id: SessionID(rawValue: name), isCurrent: false, label: String(repeating: "l", count: NewSession.longestLabel),
      origin: SessionOrigin(terminal: text, program: text, host: text), createdAt: WallTime(microseconds: 1),
      activeAt: WallTime(microseconds: 1), limits: Samples.limits)
    for answer in [
      BackendAnswer.sessions(Array(repeating: session, count: Frames.longestPage)),
      .accounts(Array(repeating: account, count: Frames.longestPage)),
      .events(Array(repeating: event, count: Frames.longestPage)),
      .receipts(Array(repeating: Samples.receipt, count: Frames.longestPage)),
    ] {
      guard
        case .answer = try ServerFrame(payload: Array(ServerFrame.answer(1, now: nil, answer).encoded().dropFirst(4)))
      else {
        Issue.record("\(answer) does not fit")
        return
      }
    }
  }

  @Test("a hello of another version is understood as far as its version")
  func otherVersion() throws {
    guard case .otherVersion(2) = try ServerFrame(payload: [1, 0, 2, 9, 9, 9]) else {
      Issue.record("not another version")
      return
    }
    guard case .hello(2) = try ClientFrame(payload: [1, 0, 2, 9, 9, 9]) else {
      Issue.record("not another version")
      return
    }
  }

  @Test("a token crosses without the name of its database, and never to another database")
  func tokens() throws {
    let (mine, other) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
    let form = TokenForm.named(mine)
    let writer = WireWriter(for: form)
    writer.token(SessionToken(bytes: mine + Samples.token.bytes))
    #expect(writer.foreignDatabase == nil)
    let bytes = Array(writer.bytes.dropFirst(4))
    var plain = WireReader(bytes, for: .plain)
    #expect(try plain.take(SessionToken.self) == Samples.token)
    var named = WireReader(bytes, for: form)
    #expect(try named.take(SessionToken.self) == SessionToken(bytes: mine + Samples.token.bytes))
    let foreign = WireWriter(for: form)
    foreign.token(SessionToken(bytes: other + Samples.token.bytes))
    #expect(foreign.foreignDatabase == other)
    #expect(foreign.bytes.count == 8)
  }

  @Test("nothing that holds a secret prints it")
  func descriptions() throws {
    var text = ""
    for frame in try Samples.clientFrames() {
      text += "\(frame) \(String(reflecting: frame))"
      dump(frame, to: &text)
      let writer = WireWriter(for: .plain)
      frame.write(to: writer)
      dump(writer, to: &text)
      var buffer = FrameBuffer()
      buffer.append(try frame.encoded())
      dump(buffer, to: &text)
    }
    for frame in try Samples.serverFrames() { dump(frame, to: &text) }
    #expect(text.contains("alice"))
    for secret in [Samples.secret, "another", "123456", "101", Samples.code.text] { #expect(!text.contains(secret)) }
  }
}
