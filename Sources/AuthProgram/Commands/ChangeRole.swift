import AuthBackend
import AuthCore
import CommandLineKit
import TextFormat

/// `accounts promote` and `demote USER`.
struct ChangeRoleCommand: WorkspaceCommand {
  let role: Role
  let user: String

  static var promote: Command<any CommandBody> {
    command("promote", .administrator, "Make an account an administrator's", "lets bob change accounts")
  }

  static var demote: Command<any CommandBody> {
    command("demote", .member, "Make an administrator a member again", "takes the role away from bob")
  }

  private static func command(
    _ name: String, _ role: Role, _ summary: String, _ shows: String
  ) -> Command<any CommandBody> {
    Command(name) {
      .init(
        summary: summary,
        discussion: [
          "Sessions of the account go on with the new role. The last administrator stays one.",
          "Needs a password that you entered recently, and asks for it on a terminal.",
        ],
        arguments: [Arguments.accountOfRole],
        examples: [.init("accounts \(name) bob", shows)],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        ChangeRoleCommand(role: role, user: try words[Arguments.accountOfRole])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.changeRole(to: role, of: user)
  }
}

extension Arguments {
  fileprivate static let accountOfRole = Argument.required("USER", Kinds.account, "The account")
}

extension Workspace {
  /// `accounts promote` and `demote USER`.
  func changeRole(to role: Role, of user: String) async throws(CommandError) -> Answer {
    let name = try valid { () throws(BackendError) in try Username(user) }
    let changed = try await askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try backend.setRole(role, account: name, for: administrator, fresh, under: lease)
    }
    let shown = TextEscaping.escape(changed.user.username)
    let now = role == .administrator ? "an administrator" : "a member"
    return describe(.changed("\(shown) is \(now)", hint: "Look with: \(run: "accounts", "list")"), changed)
  }
}
