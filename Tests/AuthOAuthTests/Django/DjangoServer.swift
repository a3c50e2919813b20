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

  private static let root = SourceTree.root
  private static let home = root + "/.build/oauth-server"
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
    let directory = FileManager.default.temporaryDirectory.appending(path: "oauth-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    // The server ends when its directory is gone.
    defer { try? FileManager.default.removeItem(at: directory) }
    let script = """
      "$0" "$1" "$2" "$3" >"$2/log" 2>&1 </dev/null &
      until [ -e "$2/port" ]; do kill -0 $! || { cat "$2/log"; exit 1; }; sleep 0.1; done
      """
    let server = [home + "/bin/python", root + "/fixtures/oauth-server/server.py", directory.path, "\(grace)"]
    let outcome = try await Program("sh", ["-c", script] + server, timeLimit: .seconds(100)).run()
    try #require(outcome.ending == .exited(0), "\(outcome.text)")
    let port = try String(contentsOf: directory.appending(path: "port"), encoding: .utf8)
    try await body(DjangoServer(place: "http://127.0.0.1:\(port)", directory: directory))
  }

  // MARK: Requests

  func send(_ request: OAuthRequest) async throws -> OAuthResponse { try await CurlTransport().send(request) }

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
