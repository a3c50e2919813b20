import Testing
import TextFormat

@testable import AuthCLIProgram

/// The headers of a message, for each revision of the protocol.
@Suite(.timeLimit(.minutes(10))) struct BridgeHeaderTests {
  private static let modern = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#

  private func message(_ text: String) throws -> BridgeMessage { try #require(BridgeMessage(Array(text.utf8))) }

  private func headers(
    _ text: String, agreed: String? = nil, session: String? = nil, _ parameters: MirroredParameters = .init()
  ) throws -> [String: String] {
    let message = try message(text)
    var headers = BridgeHeaders.of(
      message, agreed: agreed, session: session, parameters: parameters.headers(of: message))
    #expect(headers.removeValue(forKey: "Accept") == "application/json, text/event-stream")
    #expect(headers.removeValue(forKey: "Content-Type") == "application/json")
    return headers
  }

  @Test("until 2025-11-25 a message names the session and what the server agreed to, except the first one")
  func session() throws {
    let first = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
    #expect(try headers(first, agreed: "2025-06-18", session: "old") == [:])
    let call = #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add"}}"#
    #expect(
      try headers(call, agreed: "2025-06-18", session: "s1")
        == ["MCP-Protocol-Version": "2025-06-18", "Mcp-Session-Id": "s1"])
    #expect(try headers(#"{"jsonrpc":"2.0","id":3,"result":{}}"#, agreed: "2025-06-18", session: "s1").count == 2)
    #expect(
      BridgeHeaders.ofSession("s1", agreed: "2025-11-25", after: "e5")
        == [
          "Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "s1",
          "Last-Event-ID": "e5",
        ])
  }

  @Test("since 2026-07-28 a request repeats its revision, its method and its subject, and no session")
  func modern() throws {
    func request(_ method: String, _ parameters: String) throws -> [String: String] {
      try headers(
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(parameters)\#(Self.modern)}}"#,
        agreed: "2025-11-25",
        session: "s1")
    }
    #expect(
      try request("tools/call", #""name":"add","#)
        == ["MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "add"])
    #expect(try request("prompts/get", #""name":"p","#)["Mcp-Name"] == "p")
    #expect(try request("resources/read", #""uri":"file:///a b","name":"no","#)["Mcp-Name"] == "file:///a b")
    #expect(try request("tools/list", #""name":"x","#)["Mcp-Name"] == nil)
    // A line end in a header would be another header.
    #expect(try request(#"a\r\nX: y"#, "")["Mcp-Method"] == nil)
    #expect(try request("tools/call", #""name":"a\r\nX: y","#)["Mcp-Name"] == "=?base64?YQ0KWDogeQ==?=")
  }

  @Test(
    "values are encoded as the specification's table says",
    arguments: [
      ("us-west1", "us-west1"), ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
      (" padded ", "=?base64?IHBhZGRlZCA=?="),
      ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="), ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
      ("=?base64?x", "=?base64?x"), ("", "=?base64??="), ("\u{7F}", "=?base64?fw==?="),
    ])
  func encoding(text: String, value: String) {
    #expect(BridgeHeaders.encoded(text) == value)
  }

  private func list(_ schemas: String...) throws -> ServerMessage {
    let tools = schemas.enumerated().map { #"{"name":"t\#($0.offset)","inputSchema":\#($0.element)}"# }
    let text = #"{"jsonrpc":"2.0","id":1,"result":{"tools":[\#(tools.joined(separator: " ,"))],"ttlMs":5}}"#
    return try #require(ServerMessage(Array(text.utf8)))
  }

  @Test("annotated parameters become headers, read at their exact path; what is null or not there has none")
  func mirrored() throws {
    var parameters = MirroredParameters()
    let answer = try list(
      """
      {"properties":{"region":{"type":"string","x-mcp-header":"Region"},"limit":{"type":"integer","x-mcp-header":"Limit"},
      "dry":{"type":"boolean","x-mcp-header":"Dry"},"none":{"type":"string","x-mcp-header":"None"},
      "in":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Inner"}}},
      "x-mcp-header":{"type":"string","default":{"x-mcp-header":5}}}}
      """)
    let (line, rejected) = parameters.learn(from: answer)
    #expect(line == answer.line && rejected.isEmpty)
    let call =
      #"{"id":1,"method":"tools/call","params":{"name":"t0","arguments":{"region":"Zürich","limit":-7,"dry":false,"none":null,"in":{"region":"b"},"Inner":"no"},\#(Self.modern)}}"#
    let names = try headers(call, parameters).filter { $0.key.hasPrefix("Mcp-Param-") }
    #expect(
      names == [
        "Mcp-Param-Region": "=?base64?WsO8cmljaA==?=", "Mcp-Param-Limit": "-7", "Mcp-Param-Dry": "false",
        "Mcp-Param-Inner": "b",
      ])
    // An earlier revision has no such headers.
    #expect(try headers(call.replacing("," + Self.modern, with: ""), parameters) == [:])
    #expect(try headers(call.replacing("t0", with: "t1"), parameters).count == 3)
  }

  @Test("a tool with an invalid annotation is taken out of the list, and the others stay byte for byte")
  func rejected() throws {
    var parameters = MirroredParameters()
    func property(_ schema: String) -> String { #"{"properties":{"a":\#(schema)}}"# }
    let bad = [
      property(#"{"type":"number","x-mcp-header":"A"}"#), property(#"{"type":["string","null"],"x-mcp-header":"A"}"#),
      property(#"{"type":"string","x-mcp-header":""}"#), property(#"{"type":"string","x-mcp-header":"a b"}"#),
      property(#"{"type":"string","x-mcp-header":"A\r\nB"}"#), property(#"{"type":"string","x-mcp-header":1}"#),
      #"{"type":"string","x-mcp-header":"A"}"#,
      property(#"{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#),
      #"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#,
      ##"{"$defs":{"d":{"type":"string","x-mcp-header":"A"}},"properties":{"a":{"$ref":"#/$defs/d"}}}"##,
      #"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
    ]
    let good = property(#"{"type":"string" , "description":"\u00fc"}"#)
    for schema in bad {
      let (line, rejected) = parameters.learn(from: try list(good, schema, good))
      #expect(rejected.map(\.tool) == ["t1"], "\(schema)")
      let expected = try list(good, "{}", good).line
      let text = String(decoding: expected, as: UTF8.self).replacing(#"{"name":"t1","inputSchema":{}} ,"#, with: "")
      #expect(String(decoding: line, as: UTF8.self) == text.replacing(" ,{\"name\":\"t2\"", with: ",{\"name\":\"t2\""))
    }
    #expect(try parameters.learn(from: list(bad[0])).line == (try list()).line)
  }

  @Test("a list of tools for a call names the client's revision and the page")
  func listOfTools() throws {
    let call = try message(#"{"id":1,"method":"tools/call","params":{"name":"a",\#(Self.modern)}}"#)
    let list = try #require(call.listOfTools(from: "p\"2"))
    #expect(list.revision == "2026-07-28" && list.method == "tools/list")
    #expect(list.members["params", "cursor"]?.string == "p\"2")
    #expect(call.listOfTools(from: nil)?.members["params", "cursor"] == nil)
  }
}
