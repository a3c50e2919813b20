import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `prove TOOL`.
enum ProveCommand {
  static let command = Command<CommandBody>(
    "prove", summary: "Print a proof of who you are, for a tool",
    discussion: [
      "Prints a proof for the server of a tool, which runs 'verify' with it. TOOL is the account that the server is "
        + "logged in as. The proof is valid for 60 seconds and once, for that account only, and while your session is "
        + "active.",
      "A proof says who asked, and is not a login: the tool cannot act in your name. It is also printed with --quiet. "
        + "You can have 16 unused proofs; a newer one ends the oldest.",
    ],
    arguments: [tool],
    examples: [
      "prove deploy": "prints a proof for the tool that is logged in as deploy",
      "prove deploy | curl --data-binary @- https://deploy.example.com/release": "sends it to the tool",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in .inWorkspace(run) }

  private static let tool = Argument.required("TOOL", Kinds.tool, "The account of the tool's server")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let tool = words[tool]
    let session = try await workspace.activeSession()
    let proof: ToolProof
    do throws(CommandError) {
      proof = try await workspace.store.ask(session) { (lease) throws(BackendError) in
        try workspace.backend.prove(to: tool, under: lease)
      }
    } catch {
      // Only an administrator could list the accounts.
      let isUnknown = error.code == BackendError.Code.accountNotFound.rawValue
      throw isUnknown ? error.withHint("Check the name of the account that the tool's server is logged in as.") : error
    }
    return CommandResult(
      .onlyShows, text: proof.text + "\n",
      [
        "proof": .string(proof.text), "tool": .string(tool.canonical),
        "valid_seconds": .integer(ProofPolicy.time.wholeSeconds),
      ])
  }
}

/// `verify [--group GROUP]`.
enum VerifyCommand {
  static let command = Command<CommandBody>(
    "verify", summary: "Verify a proof of who is calling your tool",
    discussion: [
      "Reads a proof of 'prove' from standard input, one line, and prints the user who created it and the user's groups. "
        + "Run it in the login that the proof names. It uses the proof up, and an event of that user records it.",
      "The status is 1 if the proof is unknown, used, expired or for another account, and if the session that created "
        + "it has ended. With --group, it is also 1 if the user is not in the group.",
    ],
    options: [Options.group, short],
    examples: [
      "verify": "shows who created the proof",
      "verify --group release --short": "prints the user name alone, if the user is in the group release",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in .inWorkspace(run) }

  private static let short = Option.flag("short", "Print the user name alone")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let session = try await workspace.activeSession()
    let proof = ToolProof(typed: try workspace.secrets(fromInput: ["proof"])[0])
    let proven = try await workspace.store.ask(session) { (lease) throws(BackendError) in
      try workspace.backend.verify(proof, under: lease)
    }
    if let group = words[Options.group] { try proven.groups.require(group, of: proven.user) }
    let user = proven.user
    return CommandResult(
      .changed("the proof of \(user.username) is used up", hint: "Ask the caller for a new one."),
      lines: words[short]
        ? [user.username.escaped]
        : [
          "Username  \(user.username.escaped)", "ID        \(user.id.rawValue.escaped)",
          "Name      \(user.displayName.escaped)", "Groups    \(proven.groups.words)",
        ],
      ["user": .user(user), "groups": proven.groups.json])
  }
}
