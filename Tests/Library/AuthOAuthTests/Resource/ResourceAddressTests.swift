import Testing

@testable import AuthOAuth

/// The address of a resource, and whose tokens are for it.
@Suite(.timeLimit(.minutes(10))) struct ResourceAddressTests {
  @Test(
    "scheme, host, the standard port and a slash at the end do not make another resource; everything else does",
    arguments: [
      ("HTTPS://MCP.Example.com:443/mcp/", true), ("https://mcp.example.com/mcp", true),
      ("https://mcp.example.com/MCP", false), ("https://mcp.example.com/mcp//", false),
      ("https://mcp.example.com:8443/mcp", false), ("https://mcp.example.com/mcp?a=b", false),
      ("https://mcp.example.com", false), ("https://mcp.example.com/mc%70", false),
    ])
  func normalised(address: String, isSame: Bool) throws {
    let found = try #require(ResourceAddress(address))
    #expect((found == ResourceAddress("https://mcp.example.com/mcp")) == isSame)
    #expect(found.written == address)
  }

  @Test(
    "an address that another program could read differently is refused",
    arguments: [
      "http://mcp.example.com/mcp", "https://mcp.example.com/a/../mcp", "https://mcp.example.com/%2e%2E/mcp",
      "https://mcp.example.com/./mcp", "https://a@mcp.example.com/", "https://mcp.example.com/#a", "mcp.example.com",
      "https://mcp.example.com/a b", "https://mcp.example.com/\u{1B}[2J", "file:///etc/passwd", "",
      "https://mcp.example.com/" + String(repeating: "a", count: 2048),
    ])
  func refused(address: String) { #expect(ResourceAddress(address) == nil) }

  @Test("the metadata is at two addresses, with the path inserted or at the root")
  func wellKnown() {
    let known = "https://a.example/.well-known/oauth-protected-resource"
    #expect(ResourceAddress("https://a.example/x/mcp/")?.wellKnown == [known + "/x/mcp", known])
    #expect(ResourceAddress("https://a.example/mcp?tenant=1")?.wellKnown == [known + "/mcp?tenant=1", known])
    #expect(ResourceAddress("https://A.example/")?.wellKnown == [known])
  }

  @Test(
    "tokens for an address above it are for a resource too; those of a neighbour are not",
    arguments: [
      ("https://a.example/x/mcp", true), ("https://a.example/x", true), ("https://a.example", true),
      ("https://a.example/", true), ("https://a.example/x/mcp/", true), ("https://a.example/x/mcp/deeper", false),
      ("https://a.example/x/mc", false), ("https://a.example/x/mcp2", false), ("https://a.example/y/mcp", false),
      ("https://a.example/x?a", false), ("https://b.example/x/mcp", false), ("https://a.example:8443/x/mcp", false),
      ("https://a.example.evil.example/x/mcp", false), ("https://evil-a.example/x/mcp", false),
    ])
  func within(other: String, isWithin: Bool) throws {
    let resource = try #require(ResourceAddress("https://a.example/x/mcp"))
    #expect(resource.isWithin(try #require(ResourceAddress(other))) == isWithin)
  }

  @Test("scopes are those of the standard, and fit into an address")
  func scopes() {
    #expect([String](scopes: " read  write read ") == ["read", "write"])
    for text in [#"a"b"#, #"a\b"#, "a\tb", "a\u{1B}[2J", "ä", String(repeating: "s ", count: 2049)] {
      #expect([String](scopes: text) == nil, "\(text)")
    }
  }
}

/// Which addresses a server may name.
@Suite(.timeLimit(.minutes(10))) struct ReachTests {
  @Test(
    "a server elsewhere names no address of this machine, in no form that some program reads as one",
    arguments: [
      "http://127.0.0.1:8080/", "http://localhost/", "http://[::1]/", "https://127.0.0.1/", "https://localhost/",
      "https://LOCALHOST./", "https://a.localhost/", "https://127.1.2.3/", "https://0.0.0.0/", "https://[::1]/",
      "https://[::]/", "https://[0:0:0:0:0:0:0:1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/",
      "https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://127.1/",
      "https://2130706433/", "https://0x7f.0.0.1/", "https://0x7f000001/", "https://0177.0.0.1/", "https://127.0.0.1./",
      "https://127.0.0.01/", "https://localhost.localdomain/", "https://ip6-localhost/", "https://169.254.169.254/",
      "https://[fe80::1]/", "https://[::ffff:169.254.169.254]/", "https://10.0.0.1/", "https://172.16.0.1/",
      "https://192.168.1.1/", "https://100.64.0.1/", "https://[fd00::1]/", "https://224.0.0.1/", "https://[ff02::1]/",
      "https://router/", "https://[::1", "https://[1::2::3]/", "https://[12345::]/", "https://a..b/", "https://1.2.3/",
      "https://256.0.0.1/",
    ])
  func refused(address: String) {
    for server in ["https://mcp.example.com/mcp", "https://8.8.8.8/", "https://[2a00::1]/"] {
      #expect(!server.mayName(address), "\(server) names \(address)")
    }
  }

  @Test("others may be named, and by their own host also what is near")
  func accepted() {
    let remote = "https://mcp.example.com/mcp"
    for address in [
      "https://id.example.com/", "https://ID.example.com.:8443/", "https://8.8.8.8/", "https://[2a00:1450::1]/",
      "https://172.32.0.1/", "https://127.example/", "https://localhost.example.com/", "https://[2002:808:808::]/",
    ] { #expect(remote.mayName(address), "\(address)") }
    #expect("http://127.0.0.1:1/mcp".mayName("http://localhost:2/"))
    #expect("http://localhost/".mayName("https://[::1]/") && "http://localhost/".mayName("https://10.0.0.1/"))
    #expect("https://10.0.0.1/".mayName("https://10.0.0.2/") && "https://mcp/".mayName("https://sso/"))
    #expect("https://router/mcp".mayName("https://router:8443/"))
    #expect(!"https://10.0.0.1/".mayName("http://127.0.0.1/"))
    #expect(!"http://127.0.0.1/".mayName("https://169.254.169.254/"))
  }
}
