import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `profile [--name NAME]`.
struct ProfileCommand: CommandBody {
  let newName: String?

  static var command: Command<any CommandBody> {
    Command("profile", soughtAs: ["balance"]) {
      .init(
        summary: "Show, change or delete your profile",
        options: [Options.newName],
        examples: [
          .init("profile", "shows your profile"),
          .init("profile --name 'Alice B.'", "changes your display name, also in screens that are open"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst),
        subcommands: [DeleteAccountCommand.own]
      ) { words throws(UsageError) in
        ProfileCommand(newName: try words[Options.newName])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.profile(newName: newName)
  }
}

extension Options {
  fileprivate static let newName = Option.optional(
    "name", "NAME", Kinds.displayName, "Change your display name")
}

extension Workspace {
  /// `profile [--name N]`: one's own account; a new name is a change of the session, which open
  /// screens follow.
  func profile(newName: String?) async throws(CommandError) -> Answer {
    let screen = try await open(ProfileScreen.self)
    let profile = try await asking { () throws(LeaseError<BackendError>) in
      if let newName { try screen.rename(to: newName, at: backend) } else { try screen.profile(of: backend) }
    }
    let user = profile.user
    return Answer(
      newName == nil ? .onlyShows : .changed("the name is changed", hint: "Look with: \(run: "profile")"),
      lines: bar("Profile") + [
        "Name      \(escaping: user.displayName)", "Username  \(escaping: user.username)",
        "Role      \(user.role.rawValue)", "Balance   \(Amount.text(profile.balance))",
        "Since     \(UTCTime(seconds: profile.createdAt.seconds).local)",
      ],
      [
        "user": .user(user), "balance": .string(Amount.text(profile.balance)),
        "created_at": .string(profile.createdAt.iso8601),
      ])
  }
}
