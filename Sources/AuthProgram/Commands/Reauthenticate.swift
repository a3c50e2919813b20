import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `reauth`.
struct ReauthenticateCommand: CommandBody {
  let passwordFromInput: Bool

  static let command = Command<any CommandBody>(
    "reauth", summary: "Enter your password again",
    discussion: [
      "Some commands need a password that you entered within the last 15 minutes: those that pay, end other sessions, make "
        + "recovery codes, change your password or your second step, delete your account, or change other accounts. On a "
        + "terminal these commands ask for it; a script runs this command first. A wrong password does not end the "
        + "session.",
      "If you log in in two steps, a code is asked for too; with --password-stdin it is the second line.",
    ],
    options: [Options.passwordFromInput],
    examples: [
      "reauth": "asks for the password on the terminal",
      "reauth --password-stdin < alice.password": "reads the password from a file, for scripts",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in ReauthenticateCommand(passwordFromInput: words[Options.passwordFromInput]) }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let name = try await workspace.session().user.username
    let renewed = try await workspace.session(withPasswordOf: name, fromInput: passwordFromInput) {
      (password) throws(SessionError) in try await workspace.store.confirm(password)
    }
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    return Answer(
      .changed("the password was accepted and the session is renewed", hint: "Look with: \(run: "status")"),
      lines: [
        "Password of \(renewed.user.username.escaped) confirmed; you will not be asked again for \(deadlines.remaining(renewed.limits.fresh))."
      ],
      ["user": .user(renewed.user), "session": .session(renewed.id, renewed.limits, deadlines)])
  }
}
