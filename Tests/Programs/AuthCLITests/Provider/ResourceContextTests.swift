import AuthCore
import AuthDevice
import AuthOAuth
import Testing

@testable import AuthCLIProgram

/// The context of a resource, and what it remembers.
@Suite(.timeLimit(.minutes(10))) struct ResourceContextTests {
  private func context(_ address: String) throws -> ContextName {
    ContextName(of: try #require(ResourceAddress(address)))
  }

  @Test("each resource has a context of its own, which upper case in the host and a slash at the end do not change")
  func name() throws {
    let own = try context("https://mcp.example.com/mcp")
    #expect(own.description.wholeMatch(of: /mcp\.example\.com-[0-9a-f]{16}/) != nil)
    #expect(try context("HTTPS://MCP.example.com:443/mcp/") == own)
    let others = [
      "https://mcp.example.com/MCP", "https://mcp.example.com", "https://mcp.example.com:8443/mcp",
      "https://mcp.example.com/mcp?a", "http://[::1]:80/", "http://[::1]/mcp", "http://127.0.0.1/mcp",
      "https://\(String(repeating: "a", count: 1000)).example/",
      "https://\(String(repeating: "a", count: 1001)).example/",
      "https://---/",
    ]
    let names = try others.map(context)
    #expect(Set(names + [own]).count == others.count + 1 && !names.contains(.standard))
  }

  @Test("what a context remembers of a resource is read as it was written")
  func settings() throws {
    var settings = ProviderSettings(
      issuer: "https://id.example.com", clientID: "client-1", scopes: ["read"], parameters: [:])
    settings.resources = ["https://mcp.example.com/mcp/"]
    settings.resource = ResourceSettings(address: "https://mcp.example.com/mcp")
    #expect(ProviderSettings(settings.content) == settings)
    settings.resource?.allowsMissingPKCE = true
    for expires in [nil, 2_000_000_000] as [Int64?] {
      settings.resource?.registration = ResourceSettings.Registration(
        scopes: ["read", "write"], isForDevices: expires == nil, expires: expires)
      #expect(ProviderSettings(settings.content) == settings)
    }
    // Without the resource, the tokens would be requested for anything.
    settings.resources = []
    #expect(ProviderSettings(settings.content) == nil)
  }

  @Test("the tokens of a resource are sent to no other service of its issuer")
  func services() {
    let all = [OAuthServer.Endpoint.token, .userInfo, .introspection, .revocation]
    var settings = ProviderSettings(issuer: "https://id.example.com", clientID: "a", scopes: [], parameters: [:])
    settings.endpoints = Dictionary(uniqueKeysWithValues: all.map { ($0, "https://id.example.com/x") })
    #expect(settings.authority(clock: BootClock()).server.endpoints.count == 4)
    settings.resource = ResourceSettings(address: "https://mcp.example.com")
    #expect(Set(settings.authority(clock: BootClock()).server.endpoints.keys) == [.token, .revocation])
  }
}
