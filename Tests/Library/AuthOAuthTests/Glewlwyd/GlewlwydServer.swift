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
  static func run(_ body: (GlewlwydServer) async throws -> Void) async throws {
    let server = ["python3", "provider/glewlwyd.py"]
    try await FixtureServer.run(server, [], writes: "server.json") { directory, facts in
      let facts = try #require(OAuthClaims([UInt8](facts)))
      try await body(
        GlewlwydServer(
          issuer: try #require(facts["issuer"]), directory: directory.path, place: try #require(facts["place"])))
    }
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

  /// Waits until the server has answered every renewal that has arrived.
  func waitUntilIdle() async throws { _ = try await control("idle") }

  /// The number of requests of this kind, such as `POST token refresh_token 200`.
  func count(_ kind: String) async throws -> Int { try await number(of: kind, in: control("counts")) }

  /// Waits until more than so many requests of this kind came.
  func wait(for kind: String, after count: Int) async throws {
    let fields = ["name": kind, "after": "\(count)"]
    while try await number(of: kind, in: control("counts", fields)) <= count {}
  }

  private func number(of kind: String, in counts: String) -> Int {
    OAuthClaims(Array(counts.utf8))?[kind].flatMap { Int($0) } ?? 0
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

  /// Whether the process has the lock of the session, or waits for it.
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
