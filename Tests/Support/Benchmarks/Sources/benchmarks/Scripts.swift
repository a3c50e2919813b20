import Foundation
import Glibc

/// A script of `fixtures/provider`, at a server that others wrote.
struct ProviderScript {
  let home: String
  private let python: String

  /// Skips the group if the server is not installed.
  init(at server: String, home: String) throws {
    self.home = home
    let root = FileManager.default.currentDirectoryPath
    let find = Program(
      path: root + "/.ci/servers", arguments: ["--installed", server], environment: Self.environment(home),
      errors: home + "/servers")
    guard let path = try? find.output() else {
      throw Skip(reason: Self.text(home + "/servers") ?? "\(root)/.ci/servers does not work")
    }
    python = path.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func program(_ name: String, _ words: String...) -> Program {
    let path = FileManager.default.currentDirectoryPath + "/fixtures/provider/" + name
    return Program(
      path: python, arguments: [path] + words, environment: Self.environment(home), errors: home + "/errors")
  }

  /// What it said of an error.
  var errors: String { Self.text(home + "/errors") ?? "" }

  private static func text(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func environment(_ home: String) -> [String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return ["PATH=" + path, "HOME=" + home, "PYTHONDONTWRITEBYTECODE=1"]
  }
}

/// A provider where auth-cli and oidc-agent are logged in, until nothing refers to this any more.
final class TokenClients {
  private let script: ProviderScript
  private let program: String
  /// The input and output of the script, which ends with it.
  private let conversation: Int32
  private let process: pid_t
  /// The socket of oidc-agent; empty if that is not installed.
  private var agent = ""

  init() throws {
    let home = try Homes.make()
    script = try ProviderScript(at: "glewlwyd", home: home)
    program = try install(Program.built("auth-cli"), in: home)
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Failure(reason: "no pair of sockets: error \(errno)")
    }
    conversation = ends[0]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let run = script.program("token-clients.py", home, program)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, run.errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let spawned = Result { try run.spawn(&actions, nil) }
    // The script's end, which would hide that the script has ended.
    close(ends[1])
    if case .failure = spawned { close(ends[0]) }
    process = try spawned.get()
    agent = try line()
  }

  deinit {
    close(conversation)
    waitpid(process, nil, 0)
  }

  /// Lets the token of `auth-cli` or `oidc-agent` expire.
  func expire(_ client: String) throws { _ = try answer(to: client) }

  /// How many requests came to the provider.
  func requests() throws -> Int { try answer(to: "requests") }

  private func answer(to text: String) throws -> Int {
    guard send(conversation, text + "\n", text.utf8.count + 1, Int32(MSG_NOSIGNAL)) > 0,
      let number = Int(try line())
    else { throw Failure(reason: "the provider has ended: \(script.errors)") }
    return number
  }

  private func line() throws -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while recv(conversation, &byte, 1, 0) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    throw Failure(reason: "the provider has ended: \(script.errors)")
  }

  /// A run of `auth-cli`.
  func command(_ words: String...) -> Program {
    let home = script.home + "/auth-cli-home"
    return Program(
      path: program, arguments: words, environment: ["AUTH_CLI_HOME=" + home, "HOME=" + home],
      errors: script.home + "/errors", server: self)
  }

  /// A run of `oidc-token`.
  func oidcToken() throws -> Program {
    guard !agent.isEmpty else { throw Skip(reason: "oidc-agent is not installed") }
    return Program(
      path: try Program.installed("oidc-token"), arguments: ["bench"],
      environment: ["HOME=" + script.home + "/oidc-agent-home", "OIDC_SOCK=" + agent], errors: script.home + "/errors",
      server: self)
  }
}
