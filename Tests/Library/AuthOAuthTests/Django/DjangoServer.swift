import AuthOAuth
import Foundation
import Programs
import Testing

/// django-oauth-toolkit, an authorization server that knows nothing of this project, on a port of
/// this machine.
///
/// It is installed from PyPI into `.build/oauth-server`, once.
struct DjangoServer {
  let place: String
  let directory: URL

  private static let home = SourceTree.root + "/.build/oauth-server"
  /// The device grant of this release does not work with oauthlib 4.
  private static let packages = ["django-oauth-toolkit==3.4.1", "oauthlib==3.3.1"]

  static let advice: Comment = "needs python3 and pip, which installs django-oauth-toolkit; make test-all runs it"

  /// Whether it can be run here: installs it where it is missing.
  static let isHere = Task { () -> Bool in
    guard Effort.isComplete else { return false }
    let script = """
      "$0/bin/python" -c "import oauth2_provider, oauthlib; assert oauthlib.__version__ == '3.3.1'" && exit
      "${PYTHON:-python3}" -m venv --clear "$0" && "$0/bin/python" -m pip install --quiet "$@"
      """
    let install = Program("sh", ["-c", script, home] + packages, timeLimit: .seconds(500))
    return try await install.run().ending == .exited(0)
  }

  /// Runs `body` with a server of its own.
  ///
  /// A refresh token that was used works for another `grace` seconds.
  static func run(grace: Int = 0, _ body: (DjangoServer) async throws -> Void) async throws {
    let server = [home + "/bin/python", "oauth-server/server.py"]
    try await FixtureServer.run(server, ["\(grace)"], writes: "port") { directory, port in
      try await body(
        DjangoServer(place: "http://127.0.0.1:\(String(decoding: port, as: UTF8.self))", directory: directory))
    }
  }

  /// How many refresh tokens the server has given, and how many of them work.
  func tokens() async throws -> (given: Int, live: Int) {
    let answer = try await curl([place + "/tokens/"])
    let numbers = String(decoding: answer.body, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    return (try #require(numbers.first), try #require(numbers.last))
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
