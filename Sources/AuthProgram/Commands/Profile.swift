import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `profile [--name NAME]`.
struct ProfileCommand: CommandBody {
  let newName: String?

  static let command = Command<any CommandBody>(
    "profile", soughtAs: ["balance"], summary: "Show, change or delete your profile",
    options: [newName],
    examples: [
      "profile": "shows your profile",
      "profile --name 'Alice B.'": "changes your display name, also in screens that are open",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst),
    subcommands: [DeleteAccountCommand.own]
  ) { words in ProfileCommand(newName: words[newName]) }

  private static let newName = Option.optional(
    "name", "NAME", Kinds.displayName, "Change your display name")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(UserScreen.self)
    let profile = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
      if let newName { return try workspace.backend.rename(to: newName, under: lease) }
      return try workspace.backend.profile(under: lease)
    }
    let user = profile.user
    return Answer(
      newName == nil ? .onlyShows : .changed("the name is changed", hint: "Look with: \(run: "profile")"),
      lines: workspace.bar("Profile") + [
        "Name      \(user.displayName.escaped)", "Username  \(user.username.escaped)",
        "Role      \(user.role.rawValue)", "Balance   \(Amount.text(profile.balance))",
        "Since     \(UTCTime(seconds: profile.createdAt.seconds).local)",
      ],
      [
        "user": .user(user), "balance": .string(Amount.text(profile.balance)),
        "created_at": .string(profile.createdAt.iso8601),
      ])
  }
}
