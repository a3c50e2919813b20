import AuthCore
import AuthDevice
import AuthMessages
import CProcess
import CommandLineKit
import Glibc
import TextFormat

/// `token [--min-valid DURATION] [--header]`.
enum TokenCommand {
  static let command = Command<CommandBody>(
    "token", soughtAs: ["access-token", "print-token"], summary: "Print an access token",
    discussion: [
      "Prints a valid access token of a login at an identity provider, and renews it if needed. If many processes ask "
        + "at the same time, one of them renews it. It never prompts.",
      "A valid token is printed without a request to the provider. If the provider has ended the session meanwhile, the "
        + "server that gets the token may refuse it. Anybody who has the token can use it until it expires.",
      "If even a new token is valid for less than --min-valid, it is printed anyway. Without --min-valid, a token "
        + "with a lifetime of less than 40 seconds is renewed in the last quarter of its lifetime.",
      "If a server refuses the token with status 401, pass that token to 'token --refused-stdin', and repeat the request "
        + "once with the token that it prints. The refused token is renewed only if it is still the saved one, so many processes "
        + "get the same new one. --renew does that without the refused token; a token of the last 5 seconds is not renewed "
        + "again. A second 401 means that you lack access, and not that the token is over.",
    ],
    options: [SavedAccess.minimum, renew, refusedFromInput, header, file],
    examples: [
      "token": "prints the token",
      "token --header":
        "prints a header for curl: h=$(auth-cli token --header) && printf '%s\\n' \"$h\" | curl -H @- URL",
      "token --file token": "writes the token into a file, for programs that only read files",
      "token --min-valid 5m": "renews the token first if it is valid for less than 5 minutes",
      "token --renew": "renews the token, because a server refused it",
      "token --refused-stdin < refused": "the same, for the token in a file",
      "token --json": "prints the token and when it expires as JSON",
    ],
    statuses: .ofAccessTokens
  ) { _ in
    .withAccessToken(
      insteadOf: { (words) throws(CommandError) in
        // What was refused is compared, and shown nowhere.
        if words[refusedFromInput] { return .token(Secret(bytes: try SecretLines().lines(["access token"])[0])) }
        return words[renew] ? .saved : nil
      }, run)
  }

  private static let renew = Option.flag("renew", "Renew the token, because a server refused it")
  private static let refusedFromInput = Option.flag(
    "refused-stdin", "Read the token that a server refused from standard input, one line, and renew that one")
  private static let header = Option.flag("header", "Print the header Authorization")
  private static let file = Option.optional(
    "file", "PATH",
    ValueKind<[UInt8]>("a path", accepted: "the path of a file", offersFiles: true) {
      $0.bytes.isEmpty ? nil : $0.bytes
    },
    "Write it into this file, readable only by you, and print nothing")

  private static func run(_ words: ParsedWords, _ access: SavedAccess) async throws(CommandError) -> CommandResult {
    let members = try access.members()
    let prefix = words[header] ? "Authorization: Bearer " : ""
    if let path = words[file] {
      let file = TokenFile(path: path)
      try file.replace(with: prefix + access.token.value)
      let end = try access.end()
      return CommandResult(
        .changed("the token was written to \(file.name)", hint: "Look at the file."),
        ["file": .string(file.name), "expires_at": .string(orNull: end?.iso8601)])
    }
    return CommandResult(.onlyShows, text: prefix + access.token.value + "\n", members)
  }
}

extension [Int32] {
  /// The statuses of a command that hands out an access token.
  static let ofAccessTokens = of(.done, .no, .usage, .cannotTell, .logInFirst, .throttled)
}

/// `run [--as NAME] -- COMMAND...`.
enum RunCommand {
  static let command = Command<CommandBody>(
    "run", soughtAs: ["exec"], summary: "Run a command with an access token",
    discussion: [
      "Runs a command with a valid access token in an environment variable. The command takes the place of this "
        + "program, so its exit status and signals are its own. If it crashes, it leaves no core file.",
      "The token is not renewed while the command runs. A long job should run 'token' each time it needs one.",
      "Other processes of the same user can read the environment of the command.",
    ],
    arguments: [program],
    options: [variable, SavedAccess.minimum],
    examples: [
      "run -- ./deploy": "runs ./deploy with the token in ACCESS_TOKEN",
      "run --as GITLAB_TOKEN -- glab issue list": "chooses the variable",
    ]
  ) { _ in
    .withAccessToken(
      insteadOf: { (words) throws(CommandError) in
        if words[program].isEmpty { throw CommandError(code: .commandMissing) }
        return nil
      }, run)
  }

  private static let variable = Option.standard(
    "as", "NAME", variableName, "The environment variable", standard: "ACCESS_TOKEN", shownAs: "ACCESS_TOKEN")
  private static let program = Argument.rest(
    "COMMAND", ValueKind("a word", accepted: "the command and its arguments after '--'", offersFiles: true) { $0 },
    "The command and its arguments, after '--'", isAfterDashes: true)

  private static let variableName = ValueKind<String>(
    "the name of a variable for a token",
    accepted: "letters, digits and _, not beginning with a digit, and not PATH or LD_..., which change what is run"
  ) { word in
    word.text.flatMap {
      $0 != "PATH" && !$0.hasPrefix("LD_") && $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil ? $0 : nil
    }
  }

  private static func run(_ words: ParsedWords, _ access: SavedAccess) async throws(CommandError) -> CommandResult {
    let command = words[program]
    setenv(words[variable], access.token.value, 1)
    Program.restoreInherited()
    var arguments = command.map { strdup($0.bytes.map(CChar.init(bitPattern:)) + [0]) } + [nil]
    if let path = arguments.first ?? nil { execvp(path, &arguments) }
    let error = ErrorNumber.current
    throw CommandError(code: .commandNotRun, command[0].quoted, error.explanation)
  }
}

/// `credential`: the protocols of other programs.
enum CredentialCommand {
  static let command = Command<CommandBody>(
    "credential", summary: "Hand an access token to git, kubectl or docker",
    examples: [
      "credential git --host git.example.com get": "answers git",
      "credential kubectl": "answers kubectl",
      "credential docker --host registry.example.com get": "answers docker",
    ],
    subcommands: [GitCredentialCommand.command, KubectlCredentialCommand.command, DockerCredentialCommand.command],
    request: nil)
}

/// `credential git --host HOST OPERATION`.
enum GitCredentialCommand {
  static let command = Command<CommandBody>(
    "git", summary: "Answer git as a credential helper",
    discussion: [
      "git runs this when it needs a password, with a description of the server on standard input. The answer has "
        + "an access token as the password. 'store' does nothing. git runs 'erase' when the server refused the token: the "
        + "next 'get' then renews it.",
      "git 2.46 and later send the token as such (Bearer), unless you choose a user name with --username. Earlier "
        + "versions send it as a password.",
      "Only the hosts that --host names get the token, because a repository can name any host, also in a submodule. "
        + "They get it over https; a host of this machine, such as localhost:8080, also over http. Other hosts get no answer, "
        + "and git asks its next helper.",
    ],
    arguments: [operation], options: [Options.tokenHost, username],
    examples: [
      "credential git --host git.example.com get":
        "git config --global credential.helper '!auth-cli credential git --host git.example.com'"
    ],
    statuses: .ofAccessTokens
  ) { _ in CommandBody(run: run) }

  private static let operation = Argument.required(
    "OPERATION",
    // git may know more operations in future. As $GIT_ASKPASS, it passes a whole question.
    ValueKind(
      "an operation", accepted: "get, store or erase; $GIT_ASKPASS does not work, so set credential.helper instead"
    ) { word in word.text.flatMap { $0.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) == nil ? nil : $0 } },
    "get, store or erase, as git says")
  private static let username = Option.standard(
    "username", "NAME", ValueKind<String>.text("a user name", maximumBytes: 256),
    "The user name beside the token, unless the address has one", standard: "oauth2", shownAs: "oauth2")

  private static func run(
    _ words: ParsedWords, _ output: CommandOutput, _ makeBackend: MakeBackend
  ) async throws(CommandError) -> CommandResult {
    // Without an answer, git asks its next helper.
    let none = CommandResult(.onlyShows, ["access_token": nil])
    guard ["get", "erase"].contains(words[operation]) else { return none }
    let asked = description()
    guard let host = asked["host"], let scheme = asked["protocol"],
      words[Options.tokenHost].contains(where: { TokenHost($0).isMeant(by: host, scheme: scheme) })
    else { return none }
    guard words[operation] == "get" else {
      try erase(asked["credential"] ?? asked["password"], in: try ContextLocation(words))
      return CommandResult(.changed("the token is renewed before its next use", hint: "Run git again."))
    }
    return try await CommandBody.withAccessToken { (words, access) async throws(CommandError) in
      let end = try access.end().map { "password_expiry_utc=\($0.seconds)\n" } ?? ""
      let members = try access.members()
      let takesTokens = asked["capability[]"]?.split(separator: " ").contains("authtype") == true
      let text =
        takesTokens && words.origin(of: username) == .notGiven
        ? "capability[]=authtype\nauthtype=Bearer\ncredential=\(access.token.value)\n\(end)"
        : "username=\(asked["username"] ?? words[username])\npassword=\(access.token.value)\n\(end)"
      return CommandResult(.onlyShows, text: text, members)
    }.run(words, output, makeBackend)
  }

  /// Deletes the saved access token if it is the refused one, so that the next use renews it.
  ///
  /// A token that was renewed meanwhile stays. git may name none, and means whatever is saved.
  private static func erase(_ refused: String?, in location: ContextLocation) throws(CommandError) {
    guard let login = try ContextLogin(of: location) else { return }
    try explained { () throws(VaultError) in
      try location.vault(for: login.tokenIssuer).forgetAccessToken { refused == nil || $0.value == refused }
    }
  }

  /// The request of git: lines `NAME=VALUE` up to an empty one (git-credential(1), "Input/output
  /// format").
  ///
  /// The values of a name with brackets, such as `capability[]`, are joined with spaces.
  private static func description() -> [String: String] {
    var asked: [String: String] = [:]
    for line in RequestOnInput.read().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.isEmpty { break }
      let parts = String(decoding: line, as: UTF8.self).split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      let earlier = parts[0].hasSuffix("[]") ? asked[parts[0]].map { $0 + " " } ?? "" : ""
      asked[parts[0]] = earlier + parts[1]
    }
    return asked
  }
}
