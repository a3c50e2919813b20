import AuthCore
import AuthMessages
import CommandLineKit
import ConcurrencyKit
import Glibc
import TextFormat

/// `credential docker --host HOST OPERATION`.
enum DockerCredentialCommand {
  static let command = Command<CommandBody>(
    "docker", summary: "Answer docker as a credential helper",
    discussion: [
      "docker runs docker-credential-NAME for a registry if its configuration names the helper: "
        + "\"credHelpers\": {\"registry.example.com\": \"auth-cli\"}. Put a script with the name docker-credential-auth-cli on "
        + "your PATH, with the lines '#!/bin/sh' and 'exec auth-cli credential docker --host registry.example.com \"$@\"'.",
      "Only the hosts that --host names get the token, over https; a host of this machine, such as localhost:5000, also "
        + "over http. For other hosts, docker is told that there is no login. 'store' and 'erase' are refused: the "
        + "login is that of auth-cli.",
    ],
    arguments: [operation], options: [Options.tokenHost, username],
    examples: ["credential docker --host registry.example.com get": "answers docker"],
    statuses: .ofAccessTokens
  ) { _ in CommandBody(run: run) }

  private static let operation = Argument.required(
    "OPERATION",
    ValueKind("an operation", accepted: "get, store or erase") { word in
      word.text.flatMap { ["get", "store", "erase"].contains($0) ? $0 : nil }
    }, "get, store or erase, as docker says")
  private static let username = Option.standard(
    "username", "NAME", ValueKind<String>.text("a user name", maximumBytes: 256), "The user name beside the token",
    standard: "oauth2", shownAs: "oauth2")

  private static func run(
    _ words: ParsedWords, _ output: CommandOutput, _ makeBackend: MakeBackend
  ) async throws(CommandError) -> CommandResult {
    guard words[operation] == "get" else {
      return refusal("auth-cli stores nothing for docker. Log in and out with: auth-cli login, auth-cli logout")
    }
    let typed = String(decoding: RequestOnInput.read(), as: UTF8.self).filter { !$0.isWhitespace }
    let parts = typed.split(separator: "://", maxSplits: 1).map(String.init)
    let (scheme, rest) = parts.count == 2 ? (parts[0].lowercased(), parts[1]) : ("https", typed)
    let host = String(rest.prefix { $0 != "/" })
    guard words[Options.tokenHost].contains(where: { TokenHost($0).isMeant(by: host, scheme: scheme) }) else {
      // docker compares this sentence, and then continues without a login.
      return refusal("credentials not found in native keychain")
    }
    let answer = await Result { () async throws(CommandError) in
      try await CommandBody.withAccessToken { (words, access) async throws(CommandError) in
        let credential: JSON = [
          "ServerURL": .string(typed), "Username": .string(words[username]), "Secret": .string(access.token.value),
        ]
        return CommandResult(.onlyShows, text: credential.text + "\n", credential)
      }.run(words, output, makeBackend)
    }
    switch answer {
    case .success(let answer): return answer
    case .failure(let error): return refusal(error.message, status: error.status)
    }
  }

  /// A refusal on standard output, because docker shows nothing else.
  private static func refusal(_ message: String, status: ExitStatus = .no) -> CommandResult {
    CommandResult(.onlyShows, status: status, text: message + "\n", ["message": .string(message)])
  }
}

/// A host that gets a token from a credential helper.
struct TokenHost {
  private let name: String

  init(_ name: String) { self.name = name.lowercased() }

  /// Whether a request names this host, over https or on this machine.
  func isMeant(by host: String, scheme: String) -> Bool {
    host.lowercased() == name && (scheme == "https" || scheme == "http" && isHere)
  }

  private var isHere: Bool { name.wholeMatch(of: /(127\.0\.0\.1|\[::1\]|localhost)(:[0-9]+)?/) != nil }
}

/// What another program asks on standard input.
enum RequestOnInput {
  /// Reads all of it, at most 64 KiB.
  static func read() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 65_536 {
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes
  }
}
