import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `recovery-codes`.
struct RecoveryCodesCommand: CommandBody {
  static let command = Command<any CommandBody>(
    "recovery-codes", summary: "Make codes for the day you forget your password",
    discussion: [
      "Prints ten codes, one on a line, and nothing else on standard output. Each works once: with the command 'recover', "
        + "or in place of a code of your authenticator app. They replace all codes that you made before, and are never "
        + "shown again.",
      "Needs a password that you entered recently, and asks for it on a terminal. The codes are "
        + "also printed with --quiet.",
    ],
    examples: [
      ("recovery-codes", "shows ten new codes"),
      ("recovery-codes | lpr", "prints them on paper"),
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { _ in RecoveryCodesCommand() }

  /// Makes ten codes in place of the old.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let fresh = try await workspace.fresh(try await workspace.activeSession())
    let codes = try await workspace.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.makeRecoveryCodes(for: fresh, under: lease)
    }
    let user = fresh.session.user
    let name = TextEscaping.escape(user.username)
    workspace.printCodes(codes)
    return Answer(
      .changed(
        "\(name) has new recovery codes, and the old ones are void", hint: "Make new ones: \(run: "recovery-codes")"),
      ["user": .user(user), "codes": .array(codes.map { .string($0.text) })],
      notes: [
        "Keep them where only you can read them; they are not shown again. All earlier codes are void.",
        "Each works once, if you forgot your password (\(run: "recover", name)) or lost your authenticator app.",
      ])
  }
}
