import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// `logout [--all]`.
enum LogOutCommand {
  static let command = Command<CommandBody>(
    "logout", soughtAs: ["exit", "quit", "sign-out", "signout"], summary: "Log out",
    discussion: [
      "Ends your session immediately and revokes it, so that a copy of the session file does not work. It is not an "
        + "error if nobody was logged in."
    ],
    options: [everywhere],
    examples: [
      "logout": "ends this session",
      "logout --all": "ends all your sessions, in every context",
    ],
    statuses: .of(.done, .usage, .cannotTell)
  ) { _ in .anywhere(withoutLogin: .done, atDatabase: run, atProvider: run, asClient: run) }

  private static let everywhere = Option.flag("all", "End all your sessions, on every device and in every context")

  /// Logs out, even if the session cannot be restored.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    workspace.backend.endings.eraseDisabled()
    let vault = workspace.vault
    let notes = try makeUsable(vault)
    let saved: SessionToken? = if case .token(let token, _) = vault.read() { token } else { nil }
    var before = await workspace.restore()
    // ssh may have asked the user, and would ask again.
    if case .obstructed(.authority(let cause)) = before, cause.code != BackendError.FailureCode.sshFailed.rawValue {
      before = await workspace.restore(again: true)
    }
    if case .obstructed(.vault(let failure)) = before {
      throw CommandError(code: .logoutFailed, failure.description.asClause, hint: Hint(failure.hint))
    }
    if case .obstructed(.authority(let cause)) = before {
      // The file must stay: this database cannot revoke the session, which may still be active.
      if cause.code == BackendError.FailureCode.sessionOfOtherDatabase.rawValue {
        throw workspace.explain(.authority(cause))
      }
      workspace.backend.endings.failAll(with: cause)
    }
    let isEnded = try isEnded(by: before, at: workspace.backend)
    var others = 0
    var refusal: CommandError?
    // Also after a failure, this session is logged out.
    if words[everywhere] {
      do throws(CommandError) {
        if let session = try await workspace.presence() {
          others = try await workspace.store.ask(session, workspace.backend.endAllSessions(under:)) - 1
        }
      } catch {
        refusal = error
      }
    }
    // No command logs out under a lease.
    guard let result = try? await workspace.store.logOutAnyone() else { throw CommandError(SessionError.cancelled) }
    if case .partial(let leftovers, let causes) = result {
      throw incomplete(leftovers, causes, workspace.backend.policy)
    }
    if !isEnded { throw CommandError(code: .sessionFileSetAside, vault.path.escaped) }
    if let refusal { throw CommandError(code: .otherSessionsNotEnded, refusal.message) }
    if case .alreadyLoggedOut = result {
      return try await endSuperseded(saved, at: workspace.backend)
        ? continuedElsewhere
        : nobody(notes + StatusCommand.otherContexts(besides: workspace.location))
    }
    return loggedOut(before, others: others, notes)
  }

  /// Ends the session of a token that was replaced by one that is not in the session file.
  ///
  /// Only a copy of the file can have the newer token, or a file that was put back.
  ///
  /// - Returns: Whether there was such a session.
  private static func endSuperseded(
    _ token: SessionToken?, at backend: CommandBackend
  ) async throws(CommandError) -> Bool {
    guard let token, try explained({ () throws(BackendError) in try backend.rejection(of: token) }) == .superseded
    else { return false }
    try await explainedAsync { () async throws(Unavailability) in try await backend.revoke(token, reason: .userAsked) }
    return true
  }

  private static var continuedElsewhere: CommandResult {
    CommandResult(
      .changed("the session is ended", hint: "Check with: \(run: "status")"),
      lines: ["Logged out. The session had been renewed with another copy of the file, and is ended there too."],
      ["logged_out": true, "reason": "session_renewed_elsewhere"])
  }

  /// Whether a logout certainly ends the session whose file was read.
  ///
  /// An unusable file may lack its token, or have one with a wrong bit, which looks like that of a
  /// session that the database has forgotten.
  private static func isEnded(
    by before: RestoreOutcome, at backend: CommandBackend
  ) throws(CommandError) -> Bool {
    guard case .obstructed(.corrupt(let evidence)) = before else { return true }
    guard let token = evidence.salvaged else { return false }
    return try explained { () throws(BackendError) in try backend.rejection(of: token) } != .ended(.revoked)
  }

  /// Ends the session here and the tokens at the identity provider.
  private static func run(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    let issuer = workspace.settings.issuer
    if words[everywhere] { throw CommandError(code: .optionAtProvider, everywhere.declaration.flag, issuer.escaped) }
    let notes = try makeUsable(workspace.vault)
    let before = await workspace.restore()
    if case .obstructed(.vault(let failure)) = before { throw CommandError(failure) }
    defer { workspace.rememberClientAuthentication() }
    let result = try await workspace.store.logOut(at: workspace.authority, workspace.vault)
    if case .obstructed(.corrupt) = before {
      throw CommandError(code: .sessionFileSetAsideAtProvider, workspace.vault.path.escaped, issuer.escaped)
    }
    if case .alreadyLoggedOut = result { return nobody(notes) }
    return loggedOut(before, others: 0, notes + (result == .withoutRevocation ? ["\(notRevocable)."] : []))
  }

  /// Ends the access of a client that acts for itself; the context still has its secret.
  private static func run(
    _ words: ParsedWords, in workspace: ClientWorkspace
  ) async throws(CommandError) -> CommandResult {
    let provider = workspace.settings.provider
    if words[everywhere] {
      throw CommandError(code: .optionAtProvider, everywhere.declaration.flag, provider.issuer.escaped)
    }
    let notes = try makeUsable(workspace.vault)
    if case .corrupt = workspace.vault.read() {
      _ = try await explainedAsync { () async throws(VaultError) in try await workspace.vault.setAside() }
      throw CommandError(
        code: .sessionFileSetAsideAtProvider, workspace.vault.path.escaped, provider.issuer.escaped)
    }
    let result = try await workspace.logOut()
    if case .alreadyLoggedOut = result { return nobody(notes) }
    return CommandResult(
      .changed(
        "the client \(TextEscaping.escape(provider.clientID)) is logged out", hint: "Check with: \(run: "status")"),
      lines: ["Logged out the client \(provider.clientID.escaped)."],
      ["logged_out": true, "client_id": .string(provider.clientID)],
      notes: notes + (result == .withoutRevocation ? ["\(notRevocable)."] : [])
        + (provider.clientSecret == nil
          ? []
          : [
            "The context still has the secret of the client; to delete it: \(runByOthers: "contexts", "forget", "\(workspace.location.context)")"
          ]))
  }

  static let notRevocable = "The provider cannot end a token: a copy of one works until it expires"

  private static func nobody(_ notes: [Hint]) -> CommandResult {
    CommandResult(
      .onlyShows, lines: ["Nobody was logged in."], ["logged_out": false, "reason": "nobody_logged_in"], notes: notes)
  }

  /// Makes the session file readable for the logout.
  ///
  /// Other users may have read a file that was open to them, so its session must end. The target
  /// of a link is not a file of this program.
  ///
  /// - Returns: A message if the file was open to other users; now it is not.
  private static func makeUsable(_ vault: FileVault) throws(CommandError) -> [Hint] {
    if let target = vault.linkTarget {
      throw CommandError(code: .sessionFileLinked, vault.path.escaped, target.escaped)
    }
    guard let mode = try explained({ () throws(VaultError) in try vault.closeToOthers() }) else { return [] }
    return ["The session file had mode \(mode), so others could read it and may have used the session."]
  }

  /// The error of a logout at a database that left something behind.
  ///
  /// A session file that is still there must not be reported as a logout. Without the file, logging
  /// out again would find no session.
  static func incomplete(
    _ leftovers: IncompleteCleanup, _ causes: [String], _ policy: SessionPolicy
  ) -> CommandError {
    let words = leftovers.words(at: "database", causes)
    guard leftovers.notErased else { return CommandError(code: .logoutIncomplete, words, policy.idle.words) }
    return CommandError(code: leftovers.notRevoked ? .logoutFailed : .logoutNotErased, words)
  }

  private static func loggedOut(_ before: RestoreOutcome, others: Int, _ notes: [Hint]) -> CommandResult {
    guard case .loggedIn(let session) = before else {
      return CommandResult(
        .changed("the unusable session file was set aside", hint: "Check with: \(run: "status")"),
        lines: ["The unusable session file was set aside. The session in it is ended."],
        ["logged_out": false, "reason": "session_set_aside"])
    }
    let user = TextEscaping.escape(session.user.username)
    let count = others == 0 ? "" : others == 1 ? ", and 1 other session" : ", and \(others) other sessions"
    return CommandResult(
      .changed("\(user) is logged out\(count)", hint: "Check with: \(run: "status")"),
      lines: ["Logged out \(user)\(count)."],
      ["logged_out": true, "user": .user(session.user), "other_sessions_ended": .integer(Int64(others))],
      notes: notes)
  }
}
