import Foundation
import Glibc
import Programs
import Testing
import TextFormat

@testable import AuthOAuth

/// Glewlwyd, an identity provider that knows nothing of this project, with alice's browser and a
/// proxy that counts the requests.
struct GlewlwydServer {
  let issuer: String
  /// The directory of the server.
  let directory: String
  private let place: String

  static let isHere = Curl.isHere && access("/usr/bin/glewlwyd", X_OK) == 0 && access("/usr/bin/python3", X_OK) == 0
  static let advice: Comment = "needs glewlwyd, curl and python3; .ci/setup installs the first two"

  /// Runs `body` with a server of its own.
  static func run(_ options: [String] = [], _ body: (GlewlwydServer) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "provider-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    // The server ends when its directory is gone.
    defer { try? FileManager.default.removeItem(at: directory) }
    let script = """
      python3 "$@" >"$0/log" 2>&1 </dev/null &
      until [ -e "$0/server.json" ]; do kill -0 $! || { cat "$0/log"; exit 1; }; sleep 0.1; done
      """
    let server = [directory.path, SourceTree.root + "/fixtures/provider/glewlwyd.py", directory.path]
    let outcome = try await Program("sh", ["-c", script] + server + options, timeLimit: .seconds(60)).run()
    try #require(outcome.ending == .exited(0), "\(outcome.text)")
    let facts = OAuthClaims([UInt8](try Data(contentsOf: directory.appending(path: "server.json"))))
    let place = try #require(facts?["place"])
    try await body(GlewlwydServer(issuer: try #require(facts?["issuer"]), directory: directory.path, place: place))
  }

  /// What the fixture's proxy answers.
  private func control(_ name: String, _ fields: [String: String?] = [:]) async throws -> String {
    let address = "\(place)/proxy/\(name)?\(Form.text(fields))"
    let request = OAuthRequest(method: "GET", url: address, headers: [:], body: [])
    return String(decoding: try await CurlTransport().send(request).body, as: UTF8.self)
  }

  /// Where alice's browser is sent to.
  func browse(_ url: String) async throws -> String { try await control("browse", ["url": url]) }

  /// Alice enters the code of a device.
  func allow(_ code: String) async throws { _ = try await control("allow", ["code": code]) }

  /// Delays requests or answers by milliseconds, or refuses or holds all; see the fixture.
  func set(before: Int = 0, after: Int = 0, mode: String = "pass") async throws {
    _ = try await control("set", ["before": "\(before)", "after": "\(after)", "mode": mode])
  }

  /// Starts a process of an app with the shared session.
  func start(_ words: String...) throws -> SessionProcess {
    try SessionProcess(directory + "/sessions", issuer, words)
  }

  /// Logs in, and returns the hash of the access token.
  func logIn() async throws -> String {
    let login = try await start("login", "curl", "-sG", place + "/proxy/allow", "-d").end()
    try #require(login.status == 0, "\(login.text)")
    return try await start("lend").end().text
  }

  /// Whether a renewal has arrived and is not answered yet.
  var isAnswering: Bool {
    get async throws {
      let counts = OAuthClaims(Array(try await control("counts").utf8))
      let renewal = "POST token refresh_token"
      let numbers = (counts?.members ?? [:]).keys.filter { $0.hasPrefix(renewal) }.map { name in
        (counts?[name].flatMap { Int($0) } ?? 0) * (name == renewal ? 1 : -1)
      }
      return numbers.reduce(0, +) != 0
    }
  }

  /// The number of requests of this kind, such as `POST token refresh_token 200`.
  func count(_ kind: String) async throws -> Int {
    let counts = OAuthClaims(Array(try await control("counts").utf8))
    return counts?[kind].flatMap { Int($0) } ?? 0
  }
}

/// A process of an app that has started.
struct SessionProcess {
  let child: Child

  init(_ directory: String, _ issuer: String, _ words: [String]) throws {
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    child = try Child([LeastCost.products + "/session-tool", directory, issuer] + words, input: input)
  }

  /// Whether the process has the claim of the session, or waits for it.
  var hasExchangeFileOpen: Bool {
    let folder = "/proc/\(child.id)/fd"
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return descriptors.contains { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasSuffix(".exchange") == true
    }
  }

  /// Kills it and the curl that it started, and returns whether there was one.
  func killWithRequest() -> Bool {
    kill(child.id, SIGSTOP)
    let folder = "/proc/\(child.id)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let requests = threads.flatMap { thread in
      // A thread that has ended has started nothing that is still there.
      ((try? String(contentsOfFile: "\(folder)/\(thread)/children", encoding: .utf8)) ?? "")
        .split(separator: " ").compactMap { pid_t($0) }
    }
    kill(child.id, SIGKILL)
    for request in requests { kill(request, SIGKILL) }
    return !requests.isEmpty
  }

  /// Waits for its end.
  func end() async -> ProcessEnd {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: endBlocking()) }
    }
  }

  private func endBlocking() -> ProcessEnd {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(child.output, &buffer, buffer.count), count > 0 { output += buffer.prefix(count) }
    close(child.output)
    let status = child.wait()
    let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    return ProcessEnd(status: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F), text: text)
  }
}

/// How a process of an app ended.
struct ProcessEnd {
  /// Negative for a signal.
  let status: Int32
  let text: String
}

extension [SessionProcess] {
  /// Waits for the end of each.
  func ends() async -> [ProcessEnd] {
    var ends: [ProcessEnd] = []
    for process in self { ends.append(await process.end()) }
    return ends
  }
}
