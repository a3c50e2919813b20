import Foundation
import Programs
import TextFormat

/// Glewlwyd, an identity provider that knows nothing of this project, with tokens for one use,
/// behind a proxy that counts requests.
final class ProviderServer {
  static let isHere = access("/usr/bin/glewlwyd", X_OK) == 0 || access("/usr/sbin/glewlwyd", X_OK) == 0
  private static let fixtures = URL(filePath: #filePath).appending(path: "../../../../fixtures/provider")
    .standardizedFileURL.path

  private let server: Child
  private let proxy: Child
  /// The address of the server itself, for its users.
  let place: String
  /// The address that apps use.
  let issuer: String
  private let control: String
  let directory = FileManager.default.temporaryDirectory.appending(path: "provider-" + UUID().uuidString).path

  init() throws {
    server = try Self.start(["python3", Self.fixtures + "/glewlwyd", "--access", "3600"])
    let facts = try JSONSerialization.jsonObject(with: Data(Self.line(of: server).utf8)) as? [String: Any] ?? [:]
    place = facts["place"] as? String ?? ""
    proxy = try Self.start(["python3", Self.fixtures + "/proxy.py", "0", place])
    control = "http://127.0.0.1:" + Self.line(of: proxy)
    issuer = control + "/api/oidc"
  }

  deinit {
    for child in [proxy, server] {
      kill(child.id, SIGTERM)
      child.wait()
      close(child.output)
    }
    try? FileManager.default.removeItem(atPath: directory)
  }

  private static func start(_ command: [String]) throws -> Child {
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    return try Child(command, input: input)
  }

  private static func line(of child: Child) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(child.output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Changes or reads the proxy, such as `set?before=50`; returns its counts.
  @discardableResult
  func proxy(_ path: String) async throws -> [String: Int] {
    let outcome = try await Program("curl", ["-s", control + "/__" + path], timeLimit: .seconds(20)).run()
    let facts = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [String: Any] ?? [:]
    return facts.compactMapValues { $0 as? Int }
  }

  /// A process that has started.
  struct Process {
    let child: Child

    /// Whether the process has the claim of the session, or waits for it.
    var hasExchangeFileOpen: Bool {
      let folder = "/proc/\(child.id)/fd"
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return descriptors.contains { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasSuffix(".exchange")
          == true
      }
    }

    /// Waits for its end, and returns its status, negative for a signal, and what it printed.
    func end() -> (status: Int32, text: String) {
      var output: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(child.output, &buffer, buffer.count)
        if count <= 0 { break }
        output += buffer.prefix(count)
      }
      close(child.output)
      let status = child.wait()
      let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
      return (status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F), text)
    }
  }

  /// Starts a process of an app with the shared session.
  func start(_ words: String...) throws -> Process {
    let command = [LeastCost.products + "/session-tool", directory, issuer] + words
    return Process(child: try Self.start(command))
  }

  /// Logs in, and returns the hash of the access token.
  func logIn() throws -> String {
    let login = try start("login", "python3", Self.fixtures + "/allow.py", place).end()
    guard login.status == 0 else { throw Unexpected(text: login.text) }
    return try start("lend").end().text
  }

  struct Unexpected: Error { let text: String }
}
