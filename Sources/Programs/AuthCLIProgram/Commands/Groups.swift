import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `accounts join` and `accounts leave GROUP USER...`.
enum MembershipCommand {
  static let join = command(
    "join", summary: "Add accounts to a group", isMember: true,
    [
      "accounts join release bob carol": "adds bob and carol to the group release, which begins with its first member"
    ])
  static let leave = command(
    "leave", summary: "Remove accounts from a group", isMember: false,
    ["accounts leave release bob": "removes bob from the group release, which ends with its last member"])

  private static func command(
    _ name: String, summary: String, isMember: Bool, _ examples: KeyValuePairs<String, String>
  ) -> Command<CommandBody> {
    Command(
      name, summary: summary,
      discussion: [
        "A group grants nothing in this database. Tools ask whether a user is in it; see 'require' and 'verify'. If one "
          + "of the names is wrong, no account is changed.", Confirmation.ofPassword,
      ],
      arguments: [Arguments.group, users], examples: examples
    ) { _ in
      .inWorkspace { (words, workspace) async throws(CommandError) in
        let (group, users) = (words[Arguments.group], words[users])
        try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
          try workspace.backend.setMembership(isMember, of: users, in: group, for: administrator, fresh, under: lease)
        }
        let names = users.map(\.canonical).distinct.formatted
        let are = users.count == 1 ? "is" : "are"
        let what = "\(names) \(are) \(isMember ? "in" : "not in") the group \(group)"
        return CommandResult(
          .changed(what, hint: "Check with: \(run: "accounts", "groups", group.canonical)"),
          lines: workspace.bar("Groups") + [what + "."],
          [
            "group": .string(group.canonical), "member": .bool(isMember),
            "usernames": .array(users.map { .string($0.canonical) }),
          ])
      }
    }
  }

  private static let users = Argument.atLeastOne("USER", Kinds.account, "The accounts")
}

extension [String] {
  /// The words in a sentence: `a, b and c`.
  fileprivate var formatted: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
  }
}

/// `accounts groups [GROUP]`.
enum GroupsCommand {
  static let command = Command<CommandBody>(
    "groups", summary: "List groups, or the members of one",
    discussion: [
      "Prints one page; the last line shows the command for the next page. Members are listed in the order in which their "
        + "accounts were created."
    ],
    arguments: [group],
    options: [Options.limit, after, Options.short],
    examples: [
      "accounts groups": "shows the first page of groups",
      "accounts groups release": "shows the members of the group release",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in .inWorkspace(run) }

  private static let group = Argument.optional("GROUP", Kinds.group, "The group whose members are listed")
  private static let after = Option.optional(
    "after", "NAME", Kinds.username, "Show what comes after this group or member (the next page)")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let page = GroupPage(after: words[after], limit: words[Options.limit])
    guard let group = words[group] else { return try await groups(page, words, in: workspace) }
    let members = try await workspace.askOnAccounts { (screen, administrator, lease) throws(BackendError) in
      try screen.members(of: group, page, at: workspace.backend, for: administrator, under: lease)
    }
    if words[Options.short], !workspace.output.asJSON { return workspace.names(members.items.map(\.user.username)) }
    let lines = members.items.isEmpty ? ["No members."] : workspace.lines(.accounts(members.items))
    let last = members.lastOfMore?.user.username
    return CommandResult(
      .onlyShows, lines: workspace.bar("Groups") + lines,
      [
        "group": .string(group.canonical), "members": .array(members.items.map { .user($0.user) }),
        "next_after": .string(orNull: last),
      ],
      notes: more(["accounts", "groups", group.canonical], after: last, page, in: workspace))
  }

  private static func groups(
    _ page: GroupPage, _ words: ParsedWords, in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    let groups = try await workspace.askOnAccounts { (screen, administrator, lease) throws(BackendError) in
      try screen.groups(page, at: workspace.backend, for: administrator, under: lease)
    }
    let names = groups.items.map(\.canonical)
    if words[Options.short], !workspace.output.asJSON { return workspace.names(names) }
    let last = groups.lastOfMore?.canonical
    return CommandResult(
      .onlyShows, lines: workspace.bar("Groups") + (names.isEmpty ? ["No groups."] : names),
      ["groups": .array(names.map(JSON.string)), "next_after": .string(orNull: last)],
      notes: more(["accounts", "groups"], after: last, page, in: workspace))
  }

  private static func more(
    _ command: [String], after last: String?, _ page: GroupPage, in workspace: Workspace
  ) -> [Hint] {
    last.map { [workspace.more(command + ["--after", $0], limit: page.limit)] } ?? []
  }
}

extension [GroupName] {
  /// The names for people.
  var words: String { isEmpty ? "none" : map(\.canonical).joined(separator: ", ") }

  /// The names for programs.
  var json: JSON { .array(map { .string($0.canonical) }) }

  /// Refuses a user who is not in a group.
  func require(_ group: GroupName, of user: User) throws(CommandError) {
    guard contains(group) else {
      throw CommandError(
        code: .notInGroup, user.username.escaped, group.canonical, group.canonical, user.username.escaped)
    }
  }
}
