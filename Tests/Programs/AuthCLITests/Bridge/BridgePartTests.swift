import Glibc
import Races
import Testing
import TextFormat

@testable import AuthCLIProgram

/// The parts of the bridge that read what others wrote, with the input cut at random places.
@Suite(.timeLimit(.minutes(10))) struct BridgePartTests {
  /// Hands the bytes over in pieces of random lengths, and returns all that came of them.
  private static func pieces<Part>(
    of text: [UInt8], seed: UInt64, _ take: (UnsafeBufferPointer<UInt8>) throws -> [Part]
  ) rethrows -> [Part] {
    var generator = SeededGenerator(seed: seed)
    var (parts, rest): ([Part], ArraySlice<UInt8>) = ([], text[...])
    while !rest.isEmpty {
      let piece = Array(rest.prefix(Int.random(in: 1...9, using: &generator)))
      rest = rest.dropFirst(piece.count)
      parts += try piece.withUnsafeBufferPointer(take)
    }
    return parts
  }

  @Test("lines are found wherever the input is cut", arguments: 0..<200 as Range<UInt64>)
  func lines(seed: UInt64) {
    var splitter = LineSplitter(limit: 20)
    let text =
      #"{"a":1}"# + "\n\n" + #"{"id":"x\"}","b":[{"id":2}],"c":"long"}"# + "\nabc\n" + #"["id",3333333333333333333]"#
      + "\nend"
    let lines = Self.pieces(of: Array(text.utf8), seed: seed) { splitter.take($0) }
    #expect(
      lines == [
        .whole(Array(#"{"a":1}"#.utf8)), .whole([]), .tooLong(id: Array(#""x\"}""#.utf8)), .whole(Array("abc".utf8)),
        .tooLong(id: nil),
      ])
  }

  @Test(
    "the id of a message is found in any of its places, and nothing else is",
    arguments: [
      (#"{"id":7,"method":"a"}"#, "7"), (#"{"method":"id","params":{"id":1,"x":["id",2]}, "id" : "a b" }"#, #""a b""#),
      (#"{"params":{"id":1}}"#, nil), (#"{"id":{"id":1}}"#, nil), (#"{"a":"\",\"id\":3","id":null}"#, "null"),
      (#"{"id":"# + String(repeating: "1", count: 300) + "}", nil),
    ])
  func ids(text: String, id: String?) {
    var scan = MessageID()
    for byte in text.utf8 { scan.take(byte) }
    #expect(scan.found == id.map { Array($0.utf8) })
  }

  @Test("events are read wherever the input is cut, with all line ends", arguments: 0..<300 as Range<UInt64>)
  func events(seed: UInt64) throws {
    var events = ServerSentEvents(limit: 1000)
    let text =
      "\u{FEFF}data: {\"a\":\ndata:1}\n\n: comment\r\n\r\nid: 5\r\ndata\r\n\r\nevent: ping\ndata: x\n\nevent: message\r"
      + "data:  two\rretry: 250\rid: 6\r\rretry: x\nid: a b\ndata: three\r\n\r\ndata: not complete\n"
    let data = try Self.pieces(of: Array(text.utf8), seed: seed) { try events.take($0) }
    #expect(data.map { String(decoding: $0, as: UTF8.self) } == ["{\"a\":\n1}", " two", "three"])
    #expect(events.lastID == "6" && events.retry == 250)
  }

  @Test("an event without an end does not fill the memory")
  func endlessEvent() {
    var events = ServerSentEvents(limit: 100)
    let piece = Array("data: 3456789\n".utf8)
    #expect(throws: ServerSentEvents.TooLong.self) {
      for _ in 0..<20 { _ = try piece.withUnsafeBufferPointer { try events.take($0) } }
    }
    #expect(throws: ServerSentEvents.TooLong.self) {
      for _ in 0..<20 { _ = try Array("no line end".utf8).withUnsafeBufferPointer { try events.take($0) } }
    }
  }

  @Test("an answer is read wherever it is cut, after interim ones", arguments: 0..<200 as Range<UInt64>)
  func answers(seed: UInt64) throws {
    let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nMcp-Session-Id: a1\r\nContent-Type: "
    var stream = ResponseReader(limit: 100)
    let events = head + "Text/Event-Stream; charset=utf-8\r\n\r\ndata: {}\n\ndata: {\"x\":1}\n\ndata: {"
    let messages = try Self.pieces(of: Array(events.utf8), seed: seed) { try stream.take($0) }
    #expect(messages == [Array("{}".utf8), Array(#"{"x":1}"#.utf8)] && stream.end() == nil)
    #expect(stream.status == 200 && stream.headers["mcp-session-id"] == "a1" && stream.isStream)

    var document = ResponseReader(limit: 100)
    let text = head + "application/json\r\n\r\n{\"x\":\r\n\r\n1}"
    let none = try Self.pieces(of: Array(text.utf8), seed: seed) { try document.take($0) }
    #expect(none.isEmpty && document.end() == Array("{\"x\":\r\n\r\n1}".utf8))
  }

  @Test("an answer that is too long or not HTTP is refused, however it arrives", arguments: 0..<20 as Range<UInt64>)
  func badAnswers(seed: UInt64) {
    func problem(_ text: String) -> ResponseReader.Problem? {
      var answer = ResponseReader(limit: 50)
      do { _ = try Self.pieces(of: Array(text.utf8), seed: seed) { try answer.take($0) } } catch {
        return error as? ResponseReader.Problem
      }
      return nil
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    #expect(problem(head + String(repeating: " ", count: 60)) == .tooLong)
    #expect(problem(head.replacing("application/json", with: "text/event-stream") + "data: " + head) == nil)
    #expect(problem("SSH-2.0-OpenSSH\r\n\r\n") == .notHTTP)
    #expect(problem("HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 70_000)) == .tooLong)
  }

  @Test("only complete JSON is a message, and its bytes stay as they are")
  func texts() throws {
    for bad in [
      "", "{", #"{"a":1}}"#, #"{"a" 1}"#, "[1,]", #"{"a":tru}"#, #"{"a":"b"#, "{\"a\":\"\n\"}", "{} {}", #"{a:1}"#,
    ] {
      #expect(JSONText(Array(bad.utf8)) == nil, "\(bad)")
    }
    #expect(JSONText(Array((String(repeating: "[", count: 600) + String(repeating: "]", count: 600)).utf8)) == nil)
    let text = #" { "a" : [1, {"b":"\u00fc"} , 1.50e3] ,"c":"\"}","a\u0062":null }"# + "\r\n"
    let value = try #require(JSONText(Array(text.utf8)))
    #expect(value.members.map(\.name) == ["a", "c", "ab"])
    #expect(
      value["a"]?.elements.map { String(decoding: $0.bytes, as: UTF8.self) } == ["1", #"{"b":"\u00fc"}"#, "1.50e3"])
    #expect(value["c"]?.string == "\"}" && value["ab"]?.value == .null && value["d"] == nil && value["c", "x"] == nil)
    #expect(value["a"]?.elements[1]["b"]?.string == "ü")
  }

  @Test("a JSON text is skipped exactly where the decoder reads one", arguments: 0..<500 as Range<UInt64>)
  func skipping(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var text = Array(#"{"a":[1,-2.5e3,true,null],"b":{"c":"x\"y","d":""},"e":false}"#.utf8)
    // A change of one byte makes most of them invalid, and some not.
    text[Int.random(in: 0..<text.count, using: &generator)] =
      Array(#"{}[]",:1aé\ "#.utf8).randomElement(using: &generator) ?? 0
    let isRead = JSON(parsing: text) != nil
    if isRead { #expect(JSONText(text) != nil) }
    // What only the decoder refuses: names that are there twice, and escapes and bytes of strings.
    if JSONText(text) != nil, !isRead { #expect(text.contains(UInt8(ascii: "\\")) || !text.allSatisfy { $0 < 0x80 }) }
  }

  @Test("what a slow client has read is not kept, also if it never catches up")
  func slowClient() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var outbox = Outbox()
    outbox.add([UInt8](repeating: 0x61, count: 200_000))
    var buffer = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<1000 {
      outbox.add([UInt8](repeating: 0x61, count: 4095))
      let hasReader = outbox.write(to: ends[1])
      try #require(hasReader)
      try #require(!outbox.isEmpty && read(ends[0], &buffer, buffer.count) > 0)
    }
    #expect(outbox.bytes.count < 1_000_000)
  }
}
