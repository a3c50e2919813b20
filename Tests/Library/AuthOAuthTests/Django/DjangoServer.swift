import Foundation
import Programs
import Testing

@testable import AuthOAuth

/// django-oauth-toolkit, an authorization server that knows nothing of this project, on a port of
/// this machine.
///
/// `.ci/servers` installs it from PyPI, once.
struct DjangoServer {
  let place: String
  let directory: URL

  static let advice: Comment = "needs python3 and pip, which installs django-oauth-toolkit; make test-all runs it"

  /// The Python that runs it, or nil if it cannot be run here.
  private static let python = Task { () -> String? in
    guard Effort.isComplete else { return nil }
    let outcome = try await Program(SourceTree.root + "/.ci/servers", ["django"], timeLimit: .seconds(500)).run()
    return outcome.ending == .exited(0) ? outcome.text.split(separator: "\n").last.map(String.init) : nil
  }

  /// Whether it can be run here: installs it where it is missing.
  static var isHere: Bool { get async { (try? await python.value) ?? nil != nil } }

  /// Runs `body` with a server of its own.
  ///
  /// A refresh token that was used works for another `grace` seconds.
  static func run(grace: Int = 0, _ body: (DjangoServer) async throws -> Void) async throws {
    let server = [try #require(try await python.value), "provider/django-server.py"]
    try await FixtureServer.run(server, ["\(grace)"], writes: "server.json") { directory, facts in
      let facts = try #require(OAuthClaims([UInt8](facts)))
      try await body(DjangoServer(place: try #require(facts["place"]), directory: directory))
    }
  }

  /// How many refresh tokens the server has given, and how many of them work.
  func tokens() async throws -> (given: Int, live: Int) {
    let given = try await curl([place + "/proxy/given"])
    let live = try await curl([place + "/proxy/tokens"])
    return (
      try #require(Int(String(decoding: given.body, as: UTF8.self))),
      try #require(Int(String(decoding: live.body, as: UTF8.self)))
    )
  }

  /// Where a signed-in browser is sent to.
  func browse(_ url: String, form: [String] = []) async throws -> String {
    let jar = directory.appending(path: "cookies").path
    _ = try await curl(["--cookie", jar, "--cookie-jar", jar, place + "/login/"])
    let fields = form.flatMap { ["--data-urlencode", $0] }
    let response = try await curl(["--cookie", jar, "--cookie-jar", jar] + fields + [url])
    return try #require(
      response.headers["Location"],
      "status \(response.status): \(String(decoding: response.body.prefix(500), as: UTF8.self))")
  }

  private func curl(_ arguments: [String]) async throws -> ServerDouble.Answer {
    let outcome = try await Program(
      "curl", ["--silent", "--show-error", "--include", "--max-time", "30"] + arguments, timeLimit: .seconds(60)
    ).run()
    try #require(outcome.ending == .exited(0), "\(outcome.text)")
    let response = try #require(outcome.text.wholeMatch(of: /(?s)HTTP\S+ (\d+)(.*?)\r\n\r\n(.*)/)?.output)
    let location = response.2.firstMatch(of: /(?i)location: (\S+)/)?.1
    return (try #require(Int(response.1)), location.map { ["Location": String($0)] } ?? [:], Array(response.3.utf8))
  }
}
