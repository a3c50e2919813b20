import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `require [--fresh] [--administrator] [--group GROUP]`.
enum RequireCommand {
  static let command = Command<CommandBody>(
    "require", summary: "Check that you are logged in, for scripts",
    discussion: [
      "The exit status is 0 if you are logged in and meet the requirements of the options; otherwise the message "
        + "says why not. This is activity: it prolongs the session, as a screen does.",
      "With --group it asks the database whether you are a member, at that moment.",
      "With --fresh it asks for your password on a terminal if you entered it too long ago, as 'sudo -v' does. With "
        + "--quiet a refusal prints nothing.",
    ],
    options: [fresh, administrator, Options.group],
    examples: [
      "require --quiet && echo in": "checks in a script, by the exit status",
      "require --group release": "checks that you are in the group release",
      "require --fresh --administrator": "asks for the password of an administrator, if it is needed",
    ]
  ) { _ in
    CommandBody { (words, output, makeBackend) async throws(CommandError) in
      do throws(CommandError) {
        return try await CommandBody.anywhere(atDatabase: require, atProvider: require).run(words, output, makeBackend)
      } catch {
        // With --quiet the status alone says no; an error is still printed.
        let isNo = error.status == .no || error.status == .logInFirst
        guard isNo, output.isQuiet, !output.asJSON else { throw error }
        return CommandResult(.onlyShows, status: error.status)
      }
    }
  }

  private static let fresh = Option.flag("fresh", "Require a password that you entered recently")
  private static let administrator = Option.flag("administrator", "Require an administrator")

  /// At an identity provider, a valid access token shows that the session is active.
  private static func require(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    if words[Options.group] != nil {
      throw CommandError(
        code: .optionAtProvider, Options.group.declaration.flag, workspace.settings.issuer.escaped)
    }
    _ = try await workspace.accessToken(validFor: .zero)
    let session = try await workspace.session()
    if words[administrator] { _ = try session.administratorKey() }
    if words[fresh] {
      try workspace.requireIdentified(session.user)
      try explained { () throws(FreshnessError) in _ = try FreshSession(session) }
    }
    let deadlines = try Deadlines(clock: workspace.clock)
    return CommandResult(
      .onlyShows, lines: ["Logged in as \(session.user.username.escaped) at \(workspace.settings.issuer.escaped)."],
      [
        "user": .user(session.user), "session": .session(session.id, session.limits, deadlines),
        "provider": .provider(workspace.settings),
      ])
  }

  private static func require(
    _ words: ParsedWords, in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    var session = try await workspace.activeSession()
    // The role and the group come before the password prompt, which would be useless.
    let administrator = words[administrator] ? try session.administratorKey() : nil
    if words[fresh] || administrator != nil {
      // The database answers this only to a session that need not set up a second step first: a
      // key alone does not know that.
      try await workspace.store.ask(session) { (lease) throws(BackendError) in
        if let administrator {
          _ = try workspace.backend.registration(for: administrator, under: lease)
        } else {
          _ = try workspace.backend.profile(under: lease)
        }
      }
    }
    if let group = words[Options.group] {
      let groups = try await workspace.store.ask(session, workspace.backend.groups(under:))
      try groups.require(group, of: session.user)
    }
    if words[fresh] { session = try await workspace.makeFresh(session).session }
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    let role = session.user.role == .administrator ? ", administrator" : ""
    return CommandResult(
      .onlyShows,
      lines: ["Logged in as \(session.user.username.escaped)\(role)."],
      ["user": .user(session.user), "session": .session(session.id, session.limits, deadlines)])
  }
}
