import AuthBackend
import AuthCore
import Races
import Testing

@testable import AuthService

@Suite("The protocol of the service")
struct WireTests {
  /// A frame of either side, as text and as bytes, and how its payload is read.
  private struct Frame {
    let text: String
    let bytes: [UInt8]
    let read: ([UInt8]) throws -> (text: String, bytes: [UInt8])

    var payload: [UInt8] { Array(bytes.dropFirst(4)) }

    static func client(_ payload: [UInt8]) throws -> (text: String, bytes: [UInt8]) {
      let frame = try ClientFrame(payload: payload)
      return ("\(frame)", try frame.encoded())
    }

    static func server(_ payload: [UInt8]) throws -> (text: String, bytes: [UInt8]) {
      let frame = try ServerFrame(payload: payload)
      return ("\(frame)", frame.encoded())
    }

    static func all() throws -> [Frame] {
      try Samples.clientFrames().map { Frame(text: "\($0)", bytes: try $0.encoded(), read: client) }
        + Samples.serverFrames().map { Frame(text: "\($0)", bytes: $0.encoded(), read: server) }
    }
  }

  // The bytes have the passwords, tokens and codes too, which the text leaves out.
  @Test("every frame is read as it was written, and refused where it ends early or late")
  func frames() throws {
    for frame in try Frame.all() {
      let read = try frame.read(frame.payload)
      #expect(read.bytes == frame.bytes && read.text == frame.text)
      for end in frame.payload.indices {
        #expect(throws: WireFault.self) { try frame.read(Array(frame.payload[..<end])) }
      }
      #expect(throws: WireFault.trailing(bytes: 1)) { try frame.read(frame.payload + [0]) }
    }
  }

  @Test("bytes that nobody wrote are read or refused, and read again the same")
  func randomBytes() throws {
    var random = SeededGenerator(seed: 28)
    let frames = try Frame.all()
    var (read, refused) = (0, 0)
    for _ in 0..<40_000 {
      let frame = try #require(frames.randomElement(using: &random))
      var payload = frame.payload
      if Bool.random(using: &random) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          payload[payload.indices.randomElement(using: &random) ?? 0] = .random(in: .min ... .max, using: &random)
        }
      } else {
        payload = (0..<Int.random(in: 0..<80, using: &random)).map { _ in .random(in: .min ... .max, using: &random) }
      }
      guard let answer = try? frame.read(payload) else {
        refused += 1
        continue
      }
      #expect(throws: Never.self) { try frame.read(Array(answer.bytes.dropFirst(4))) }
      read += 1
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
