import Programs
import Testing

/// auth-cli at identity providers that others wrote: `fixtures/provider/play.py` logs in, renews,
/// kills and logs out there, and judges each step by what the server has; `agents.py` does the same
/// with eight coding agents at an MCP server.
///
/// `make test-providers` installs them and plays at all. Otherwise two are enough, if they are
/// here.
@Suite("Servers that others wrote", .timeLimit(.minutes(60)))
struct OtherServerTests {
  private static let playsAll = Program.inheritedEnvironment["PROVIDERS"] != nil

  /// The Python that runs a server, or nil if it is left out.
  private static func python(_ server: String) async throws -> String? {
    let option = playsAll ? [] : ["--installed"]
    let outcome = try await Program(
      BuiltExecutable.repository + "/.ci/servers", option + [server], timeLimit: .seconds(500)
    ).run()
    let line = outcome.text.split(separator: "\n").last.map(String.init)
    if outcome.ending == .exited(0) { return line }
    if playsAll { print("➜ \(line ?? server)") }
    return nil
  }

  /// Plays at a server, with the Python that runs it.
  private func play(_ server: String, script: String = "play.py") async throws {
    let python = try #require(try await Self.python(server))
    let rounds = Program.inheritedEnvironment["PROVIDER_ROUNDS"] ?? (Self.playsAll ? "5" : "1")
    let kills = Program.inheritedEnvironment["PROVIDER_KILLS"] ?? (Self.playsAll ? "40" : "4")
    let isOwn = script == "play.py"
    let outcome = try await Program(
      isOwn ? "python3" : python,
      [
        BuiltExecutable.repository + "/fixtures/provider/\(script)", "--rounds", rounds, "--kills", kills,
        BuiltExecutable.cheap,
      ] + (isOwn ? [server, python] : []), timeLimit: .seconds(3000)
    ).run()
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    if Self.playsAll { print(outcome.text) }
  }

  @Test(.enabled("needs glewlwyd; .ci/setup installs it") { try await python("glewlwyd") != nil })
  func glewlwyd() async throws { try await play("glewlwyd") }

  @Test(.enabled("needs django-oauth-toolkit; make test-providers installs it") { try await python("django") != nil })
  func django() async throws { try await play("django") }

  @Test(.enabled("needs canaille; make test-providers installs it") { try await isPlayed("canaille") })
  func canaille() async throws { try await play("canaille") }

  @Test(.enabled("needs oidc-provider-mock; make test-providers installs it") { try await isPlayed("mock") })
  func mock() async throws { try await play("mock") }

  @Test(.enabled("needs idpyoidc; make test-providers installs it") { try await isPlayed("idpyoidc") })
  func idpyoidc() async throws { try await play("idpyoidc") }

  @Test(.enabled("needs FastMCP; make test-providers installs it") { try await isPlayed("fastmcp") })
  func fastmcp() async throws { try await play("fastmcp") }

  @Test(
    "coding agents share a login at FastMCP through the bridge",
    .enabled("needs FastMCP; make test-providers installs it") { try await isPlayed("fastmcp") })
  func agents() async throws { try await play("fastmcp", script: "agents.py") }

  private static func isPlayed(_ server: String) async throws -> Bool {
    guard playsAll else { return false }
    return try await python(server) != nil
  }
}
