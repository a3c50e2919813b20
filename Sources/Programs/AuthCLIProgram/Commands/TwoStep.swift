import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `two-step on`, `two-step off` and `two-step status`.
enum TwoStepCommand {
  static let command = Command<CommandBody>(
    "two-step", soughtAs: ["2fa", "mfa", "otp", "totp"], summary: "Log in with a code after the password",
    discussion: [
      "The code comes from an authenticator app on another device. Commands that ask for your password then also ask "
        + "for a code: login, reauth and password, and pay if you did not enter your password recently. Each code works "
        + "once. If you lose the device, enter a recovery code instead; create some with recovery-codes. A new password "
        + "does not turn the second step off. Without codes, an operator of the service can help (auth-service two-step "
        + "off), or the owner of the database (article Threat model, 'A lost device without recovery codes').",
      "The second step protects you from a person who knows your password. The secret is in the database. With the "
        + "embedded database, it does not protect you from a person who can read your files: there it is a demonstration "
        + "only.",
      "Codes depend on the wall clock. The clocks of the device and of this machine may differ by 30 seconds.",
    ],
    examples: [
      "two-step on": "shows a secret for the app and asks for a code",
      "two-step status": "shows whether it is on",
    ],
    statuses: .of(.usage), subcommands: [on, off, status], request: nil)

  private static let on = command(
    "on", "Turn the second step on",
    [
      "Shows a secret as text, as a URI and, if qrencode is installed, as a QR code. Enter the secret in an "
        + "authenticator app, then a code of the app here: that turns the second step on. The secret is never shown "
        + "again. Until it is on, run 'two-step on' again to enter a code of the same secret or to create a new secret. "
        + "Afterwards the command offers to end your other sessions, which started without a code.",
      "\(Confirmation.ofPassword) Also create recovery codes: if you lose the device, enter one of them instead.",
      "Without a terminal, or with --json, the secret and its address are printed, without a question. Then confirm it with --code-stdin.",
    ],
    examples: [
      "two-step on": "shows a secret and asks for a code",
      "two-step on --code-stdin < code": "reads the code for the secret that was shown last",
    ]
  ) { (words, session, workspace) async throws(CommandError) in
    guard words[Options.codeFromInput] else { return try await turnOn(session, in: workspace) }
    let fresh = try await workspace.makeFresh(session)
    try await confirm(try workspace.codeFromInput(), fresh, in: workspace)
    return turnedOn(session.user)
  }

  private static let off = command(
    "off", "Turn the second step off",
    [
      "Asks for a code of the app or a recovery code. A wrong code counts as a wrong password.",
      Confirmation.ofPassword,
    ],
    examples: [
      "two-step off": "asks for a code",
      "two-step off --code-stdin < code": "reads the code from a file",
    ], turnOff)

  private static func command(
    _ name: String, _ summary: String, _ discussion: [String], examples: KeyValuePairs<String, String>,
    _ run: @escaping @Sendable (ParsedWords, LoggedInSession, Workspace) async throws(CommandError) -> CommandResult
  ) -> Command<CommandBody> {
    Command(name, summary: summary, discussion: discussion, options: [Options.codeFromInput], examples: examples) { _ in
      .inWorkspace { (words, workspace) async throws(CommandError) in
        try await run(words, try await workspace.activeSession(), workspace)
      }
    }
  }

  private static let status = Command<CommandBody>(
    "status", summary: "Show whether the second step is on",
    examples: ["two-step status": "shows since when, and how many recovery codes are left"],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in
    .inWorkspace { (_, workspace) async throws(CommandError) in
      let session = try await workspace.activeSession()
      return describe(try await workspace.store.ask(session, workspace.backend.twoStep(under:)))
    }
  }

  private static func describe(_ state: TwoStepState) -> CommandResult {
    var lines = [
      state.since.map { "On since \(UTCTime(seconds: $0.seconds).local)." }
        ?? (state.isPending ? "Off: the new secret still needs its first code." : "Off.")
    ]
    if state.isOn {
      lines.append("\(state.recoveryCodes) recovery code\(state.recoveryCodes == 1 ? "" : "s") left.")
    }
    if state.isRequired { lines.append("Administrators of this database need it.") }
    return CommandResult(
      .onlyShows, lines: lines,
      [
        "two_step": .string(state.isOn ? "on" : state.isPending ? "pending" : "off"),
        "since": .string(orNull: state.since?.iso8601), "recovery_codes": .integer(Int64(state.recoveryCodes)),
        "required": .bool(state.isRequired),
      ])
  }

  private static func turnOff(
    _ words: ParsedWords, _ session: LoggedInSession, in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    guard try await workspace.store.ask(session, workspace.backend.twoStep(under:)).isOn else {
      throw CommandError(BackendError.refused(.twoStepNotOn))
    }
    let fresh = try await workspace.makeFresh(session)
    let code = words[Options.codeFromInput] ? try workspace.codeFromInput() : try Prompt.onlyCode(Prompt.code)
    try await askForCode(fresh, in: workspace) { (lease) throws(BackendError) in
      try workspace.backend.endTwoStep(code, for: fresh, under: lease)
    }
    return CommandResult(
      .changed("the second step is off", hint: "Check with: \(run: "two-step", "status")"),
      lines: ["The second step of \(session.user.username.escaped) is off."],
      ["two_step": "off", "user": .user(session.user)])
  }

  // MARK: - Turning it on

  /// The hint after the secret was shown: a second start would create another secret, which the
  /// app does not have.
  private static let pendingHint: Hint =
    "The second step is not on. The secret stays valid: enter its next code with \(run: "two-step", "on")"
  private static let pendingQuestion = "Enter a code for the earlier secret, or press Enter for a new one: "

  /// `two-step on`: a new secret, and on a terminal its first code.
  static func turnOn(_ session: LoggedInSession, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let output = workspace.output
    let state = try await workspace.store.ask(session, workspace.backend.twoStep(under:))
    guard !state.isOn else { throw CommandError(BackendError.refused(.twoStepAlreadyOn)) }
    let fresh = try await workspace.makeFresh(session)
    let isAsking = !output.asJSON && Prompt.hasTerminal
    if state.isPending, isAsking,
      try await confirmOnTerminal(pendingQuestion, mayBeEmpty: true, fresh, in: workspace)
    {
      return try await offeringToEndOthers(turnedOn(session.user), fresh, in: workspace)
    }
    let secret = try await workspace.store.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.beginTwoStep(for: fresh, under: lease)
    }
    let begun = CommandResult.Effect.changed(
      "a secret was created, and the second step is still off", hint: "Begin again: \(run: "two-step", "on")")
    if state.isPending { output.say("The secret that was shown before is void.") }
    guard isAsking else {
      if !output.asJSON { try show(secret, begun, output) }
      return CommandResult(
        begun,
        [
          "two_step": "pending", "user": .user(session.user), "secret": .string(secret.text),
          "uri": .string(secret.uri),
        ],
        notes: [
          "The second step is still off. Enter the secret in the app, then run: \(run: "two-step", "on", "--code-stdin")"
        ])
    }
    try show(secret, begun, output)
    _ = try await confirmOnTerminal("Authenticator code: ", fresh, in: workspace)
    return try await offeringToEndOthers(turnedOn(session.user), fresh, in: workspace)
  }

  /// Prints the secret, also with `--quiet`, because it is not shown again.
  private static func show(
    _ secret: TwoStepSecret, _ effect: CommandResult.Effect, _ output: CommandOutput
  ) throws(CommandError) {
    let stream = output.streams.output
    try output.show(CommandResult(effect, text: "\(secret.text)\n\(secret.uri)\n"))
    if stream.isTerminal, !output.isQuiet {
      let kind = Environment.value("TERM") ?? ""
      if kind.isEmpty || kind == "dumb" || Environment.hasOtherEncoding {
        output.say("A QR code needs a terminal with colours and a locale with UTF-8.")
      } else if QRCode.columns(of: secret.uri) <= stream.width {
        let code = QRCode.lines(secret.uri, onStream: true)
        for line in code ?? [] { stream.writeLine(line) }
        // The secret is shown as text already.
        try? stream.flush(survivingClosedPipe: true)
        if code?.isEmpty != false { output.say(Hint(code == nil ? QRCode.missing : QRCode.failed)) }
      } else {
        output.say("The terminal is too narrow for a QR code, which needs \(QRCode.columns(of: secret.uri)) columns.")
      }
    }
    output.say("Enter it in an authenticator app. It is not shown again.")
  }

  /// Asks for a code of the secret, and again after a wrong one.
  ///
  /// - Returns: False if an empty answer is permitted and was given; otherwise the step is on.
  private static func confirmOnTerminal(
    _ question: String, mayBeEmpty: Bool = false, _ fresh: FreshSession, in workspace: Workspace
  ) async throws(CommandError) -> Bool {
    for left in (0..<Prompt.attempts).reversed() {
      let code: Secret
      do throws(CommandError) {
        code = try Prompt.onlyCode(question, mayBeEmpty: mayBeEmpty)
      } catch {
        throw error.withHint(pendingHint)
      }
      if code.bytes.isEmpty { return false }
      do throws(CommandError) {
        try await confirm(code, fresh, in: workspace)
        return true
      } catch {
        // After other errors it may be unknown whether the second step is on.
        guard error == CommandError(code: .wrongCode) else { throw error }
        if left > 0 { workspace.output.say(Hint(Prompt.wrongCode(triesLeft: left))) }
      }
    }
    throw CommandError(code: .wrongCode, hint: pendingHint)
  }

  private static func confirm(
    _ code: Secret, _ fresh: FreshSession, in workspace: Workspace
  ) async throws(CommandError) {
    try await askForCode(fresh, in: workspace) { (lease) throws(BackendError) in
      try workspace.backend.confirmTwoStep(code, for: fresh, under: lease)
    }
  }

  /// Runs a request with a code; the error for a wrong one names the code and not the password.
  private static func askForCode(
    _ fresh: FreshSession, in workspace: Workspace,
    _ question: (borrowing SessionLease) throws(BackendError) -> Void
  ) async throws(CommandError) {
    do throws(CommandError) {
      try await workspace.store.ask(fresh.session, question)
    } catch {
      if error.isOfWrongGuess { throw CommandError(code: .wrongCode).beginning(error.wait) }
      throw error.wait.map { CommandError(.wait($0), .throttledCode) } ?? error
    }
  }

  private static func turnedOn(_ user: User) -> CommandResult {
    CommandResult(
      .changed("the second step is on", hint: "Check with: \(run: "two-step", "status")"),
      lines: ["The second step of \(user.username.escaped) is on."], ["two_step": "on", "user": .user(user)],
      notes: [
        "From now on, enter a code after your password.",
        "If you have no recovery codes, create some now, in case you lose the device: \(run: "recovery-codes")",
        "Your other sessions stay active. List them, and end those you do not know: \(run: "sessions")",
      ])
  }

  /// Prints the answer, and offers to end the other sessions, which started without a code.
  private static func offeringToEndOthers(
    _ answer: CommandResult, _ fresh: FreshSession, in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    let (output, backend) = (workspace.output, workspace.backend)
    let others = try? await workspace.store.ask(fresh.session, backend.otherSessions(under:))
    // The step is on, even if the other sessions cannot be listed.
    guard let others, !others.isEmpty, !output.isQuiet else { return answer }
    try output.show(answer)
    let count = SessionSummary.others(others.count)
    let typed = try? Prompt(for: "answer", insteadUse: "sessions", isEchoed: true)
      .ask("Type yes to end \(count), or press Enter to keep \(others.count == 1 ? "it" : "them"): ", mayBeEmpty: true)
    guard typed == Array("yes".utf8) else { return CommandResult(.onlyShows) }
    do throws(CommandError) {
      try await workspace.store.ask(fresh.session) { (lease) throws(BackendError) in
        try backend.revoke(others, for: fresh, under: lease)
      }
    } catch {
      throw error.status == .cannotTell
        ? error.withHint("Some of them may have ended. List your sessions: \(run: "sessions")") : error
    }
    return CommandResult(.changed("\(count) ended", hint: "Check with: \(run: "sessions")"), lines: ["Ended \(count)."])
  }
}

extension TwoStepSecret {
  /// The URI of the secret, with the name of this program, for a QR code.
  var uri: String { uri(issuer: AuthTool.tool.name) }
}
