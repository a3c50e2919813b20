import AuthBackend
import AuthCore
import AuthMessages
import AuthSQLite
import CommandLineKit
import TextFormat

/// `recovery-codes`.
struct RecoveryCodesCommand: CommandBody {
  static var command: Command<any CommandBody> {
    Command("recovery-codes") {
      .init(
        summary: "Make codes for the day you forget your password",
        discussion: [
          "Prints ten codes, one on a line, and nothing else on standard output. Each works once: with the command 'recover', "
            + "or in place of a code of your authenticator app. They replace all codes that you made before, and are never "
            + "shown again.",
          "Needs a password that you entered recently, and asks for it on a terminal. The codes are "
            + "also printed with --quiet.",
        ],
        examples: [
          .init("recovery-codes", "shows ten new codes"),
          .init("recovery-codes | lpr", "prints them on paper"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { _ throws(UsageError) in RecoveryCodesCommand() }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.makeRecoveryCodes()
  }
}

extension Workspace {
  /// `recovery-codes`: ten new ones in place of the old.
  func makeRecoveryCodes() async throws(CommandError) -> Answer {
    let fresh = try await fresh(try await activeSession())
    let codes = try await ask(fresh.session) { (lease) throws(BackendError) in
      try backend.makeRecoveryCodes(for: fresh, under: lease)
    }
    let user = fresh.session.user
    let name = TextEscaping.escape(user.username)
    printCodes(codes)
    return Answer(
      .changed(
        "\(name) has new recovery codes, and the old ones are void", hint: "Make new ones: \(run: "recovery-codes")"),
      ["user": .user(user), "codes": .array(codes.map { .string($0.text) })],
      notes: [
        "Keep them where only you can read them; they are not shown again. All earlier codes are void.",
        "Each works once, if you forgot your password (\(run: "recover", name)) or lost your authenticator app.",
      ])
  }

  /// Prints codes, a line each; with `--quiet` too, because the old ones are void and nobody can
  /// see these again.
  func printCodes(_ codes: [RecoveryCode]) {
    guard !printer.asJSON else { return }
    for code in codes { printer.streams.output.writeLine(code.text) }
  }

  /// Prints a one-time code, and says what it is for.
  func issued(_ issued: OneTimeCode, effect: Answer.Effect, notes: [Hint]) -> Answer {
    printCodes([issued.code])
    let until = UTCTime(seconds: WallTime.now().seconds + issued.validFor.wholeSeconds)
    return Answer(
      effect,
      [
        "user": .user(issued.user), "one_time_code": .string(issued.code.text), "valid_until": .string(until.iso8601),
      ],
      notes: notes + [
        "The code works once, within \(Deadlines.words(issued.validFor)). It sets a new password:",
        "  \(runByOthers: "recover", issued.user.username)",
      ])
  }
}
