import AuthAccounts
import AuthAccountsTesting
import AuthCore
import AuthRules
import Foundation
import Races
import Services
import Testing
import TextFormat

@testable import AuthService

@Suite("The protocol of the service", .timeLimit(.minutes(10)))
struct WireTests {
  /// A frame of either side, as text and as bytes, and how its payload is read.
  private struct Frame {
    let text: String
    let bytes: [UInt8]
    let read: ([UInt8]) throws -> Frame

    var payload: [UInt8] { Array(bytes.dropFirst(4)) }

    init(_ frame: ClientFrame) throws {
      read = { try Frame(ClientFrame(payload: $0)) }
      guard case .request(let id, let body) = frame else {
        (text, bytes) = ("\(frame)", try frame.encoded())
        return
      }
      let request = try Request(body, of: Operations.all)
      text = "\(id) \(request.operation.name) \(request.input)"
      bytes = try ClientFrame.request(id, request.body(.plain)).encoded()
    }

    init(_ frame: ServerFrame) throws {
      read = { try Frame(try ServerFrame(payload: $0)) }
      guard case .response(let id, let now, let body) = frame else {
        (text, bytes) = ("\(frame)", frame.encoded())
        return
      }
      guard let kind = body.bytes.first.flatMap(ResponseKind.init) else { throw WireFault.truncated }
      let operation = Samples.operation(kind)
      let output = try #require(try operation.output(of: body))
      text = "\(id) \(String(describing: now)) \(operation.name) \(output)"
      bytes = ServerFrame.response(id, now: now, try #require(operation.responseBody(output))).encoded()
    }

    static func all() throws -> [Frame] {
      try Samples.clientFrames().map(Frame.init) + Samples.serverFrames.map(Frame.init)
    }
  }

  @Test("every operation is served under its number and has a sample, and every form of a frame and an error has one")
  func samples() throws {
    #expect(Set(Sample.all.map(\.operation.name)).count == Sample.all.count)
    #expect(
      Set(Sample.all.map(\.operation.number)) == Set(Operations.all.keys),
      "add a sample to the file of the operation's subject in AuthAccountsTesting")
    #expect(Operations.all.keys.map(\.rawValue).sorted() == (1...UInt8(Operations.all.count)).map(\.self))
    for sample in Sample.all { #expect(Operations.all[sample.operation.number]?.kind == sample.operation.kind) }
    #expect(Samples.errors.count == BackendError.Kind.forms.count)
    #expect(try Set(Samples.clientFrames().map { try $0.encoded()[4] }).count == ClientFrame.forms.count)
    #expect(Set(Samples.serverFrames.map { $0.encoded()[4] }).count == ServerFrame.forms.count)
  }

  @Test("every frame has the bytes that services and clients of earlier releases read and wrote")
  func recordedBytes() throws {
    let text = try Frame.all().map { Hex.text($0.bytes) + "\n" }.joined()
    let path = Workspace.repository + "/fixtures/golden/frames.txt"
    if getenv("RECORD_GOLDEN") != nil { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    #expect(try text == String(contentsOfFile: path, encoding: .utf8), "frames.txt")
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

  @Test("random bytes are refused, or read as a frame that can be read again")
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
      #expect(throws: Never.self) { try frame.read(answer.payload) }
      read += 1
    }
    #expect(read > 1000 && refused > 1000)
  }

  /// A frame as it arrives.
  private func reading(_ frame: ServerFrame) throws -> ServerFrame {
    try ServerFrame(payload: Array(frame.encoded().dropFirst(4)))
  }

  @Test("an error of a service contains no control characters")
  func controlCharacters() throws {
    let title = "\u{1B}]0;x\u{7}\u{202E}"
    for error in [
      BackendError(Unavailability(.busy, title, hint: title, code: "service_busy")),
      BackendError.unavailable(.serviceBusy, title),
      BackendError(.refused, title, [title]),
    ] {
      guard case .failure(_, _, let read) = try reading(.failure(1, now: nil, error)) else {
        Issue.record("no error")
        continue
      }
      let shown = ([read.code, read.asUnavailability.description, read.asUnavailability.hint] + read.values).joined()
      #expect(!shown.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) })
    }
  }

  @Test("invalid values are refused")
  func invalidValues() throws {
    func reading<Value: WireValue>(_: Value.Type, after write: (WireWriter) -> Void) throws -> Value {
      let writer = WireWriter(for: .plain)
      write(writer)
      var reader = WireReader(try Array(writer.frame.dropFirst(4)), for: .plain)
      return try reader.take()
    }
    #expect(throws: WireFault.unknownTag(99, of: "Request")) {
      try Request(WireBody([99]), of: Operations.all)
    }
    #expect(WireFault.unknownTag(99, of: "\(Request.self)").description == "unknown request 99")
    #expect(throws: WireFault.unknownTag(2, of: "flag")) { try reading(Bool.self) { $0.byte(2) } }
    for tag in [0, 9, 255] as [UInt8] {
      #expect(throws: WireFault.unknownTag(tag, of: "Cause")) {
        try reading(Unavailability.Cause.self) { $0.byte(tag) }
      }
    }
    #expect(WireFault.unknownTag(65, of: "\(ClientFrame.self)").description == "unknown message 65")
    #expect(throws: WireFault.notText) { try reading(String.self) { $0.data([0xFF]) } }
    #expect(throws: WireFault.invalid("Role")) { try reading(Role.self) { $0.put("owner") } }
    #expect(throws: WireFault.invalid("user name")) { try reading(Username.self) { $0.put("a b") } }
    #expect(throws: WireFault.invalid("amount of money")) { try reading(Amount.self) { $0.put(Int64(0)) } }
    #expect(throws: WireFault.invalid("duration")) { try reading(Duration.self) { $0.put(Int64.max, Int64.max) } }
    #expect(throws: WireFault.truncated) { try reading([String].self) { $0.put(UInt32.max) } }
  }

  @Test("frames are found in a stream, however it is cut into pieces")
  func stream() throws {
    let frames = Samples.serverFrames.map { $0.encoded() }
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

  @Test("the longest frame passes, and a longer one is not written")
  func longest() throws {
    let longest = Frames.longest - 4 - 1 - 4 - 1
    func checking(_ length: Int) throws -> ClientFrame {
      .request(1, try Operations.checkUsername(String(repeating: "a", count: length)).body(.plain))
    }
    let fits = try checking(longest).encoded()
    #expect(fits.count == Frames.longest + 4)
    var buffer = FrameBuffer()
    buffer.append(fits)
    #expect(try buffer.next()?.count == Frames.longest)
    #expect(throws: WireFault.frameLength(Frames.longest + 1)) {
      try checking(longest + 1).encoded()
    }
    let receipts = Array(repeating: Samples.receipt, count: 2000)
    guard
      case .failure(3, _, let error) = try reading(.response(3, now: nil, Samples.response(.receipts, Found(receipts))))
    else {
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
      session: SessionID(rawValue: name), detail: String(repeating: "d", count: 512))
    let text = String(repeating: "t", count: SessionOrigin.longest)
    let session = SessionSummary(
      id: SessionID(rawValue: name), isCurrent: false, label: String(repeating: "l", count: NewSession.longestLabel),
      origin: SessionOrigin(terminal: text, program: text, host: text), createdAt: WallTime(microseconds: 1),
      activeAt: WallTime(microseconds: 1), limits: Samples.limits)
    func page<Row: Sendable>(of row: Row) -> [Row] { Array(repeating: row, count: Frames.longestPage) }
    for (kind, rows) in [
      (.sessions, page(of: session)), (.accounts, page(of: account)), (.events, Found(page(of: event))),
      (.receipts, Found(page(of: Samples.receipt))),
    ] as [(ResponseKind, any Sendable)] {
      guard case .response = try reading(.response(1, now: nil, Samples.response(kind, rows))) else {
        Issue.record("\(kind) does not fit")
        return
      }
    }
  }

  @Test("no description contains a secret")
  func descriptions() throws {
    var text = ""
    for frame in try Samples.clientFrames() {
      text += "\(frame) \(String(reflecting: frame))"
      dump(frame, to: &text)
      let writer = WireWriter(for: .plain)
      if case .request(_, let body) = frame {
        writer.put(body)
        dump(try Request(body, of: Operations.all), to: &text)
      }
      dump(writer, to: &text)
      var buffer = FrameBuffer()
      buffer.append(try frame.encoded())
      dump(buffer, to: &text)
    }
    for frame in Samples.serverFrames { dump(frame, to: &text) }
    for kind in ResponseKind.allCases { dump(Samples.output(kind), to: &text) }
    #expect(text.contains("alice"))
    for secret in [Samples.secret, "new secret", "123456", "101", Samples.code.text] { #expect(!text.contains(secret)) }
  }
}
