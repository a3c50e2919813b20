import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `two-step on`, `two-step off` and `two-step status`.
struct TwoStepCommand: CommandBody {
  enum Action { case on, off, status }

  let action: Action
  var codeFromInput = false

  static var command: Command<any CommandBody> {
    Command("two-step", soughtAs: ["2fa", "mfa", "otp", "totp"]) {
      .init(
        summary: "Log in with a code after the password",
        discussion: [
          "The code comes from an authenticator app on another device. Commands that ask for your password then also ask "
            + "for a code: login, reauth and password, and pay if you did not enter your password recently. Each code works "
            + "once. If you lose the device, enter a recovery code instead; create some with recovery-codes. A new password "
            + "does not turn the second step off. Without codes, only the owner of the database can help; the article "
            + "Threat model says how, under 'A lost device without recovery codes'.",
          "The second step protects you from a person who knows your password. The secret is in the database. With the "
            + "embedded database, it does not protect you from a person who can read your files: there it is a demonstration "
            + "only.",
          "Codes depend on the wall clock. The clocks of the device and of this machine may differ by 30 seconds.",
        ],
        examples: [
          .init("two-step on", "shows a secret for the app and asks for a code"),
          .init("two-step status", "shows whether it is on"),
        ],
        statuses: .of(.usage), subcommands: [on, off, status], request: nil)
    }
  }

  private static var on: Command<any CommandBody> {
    Command("on") {
      .init(
        summary: "Turn the second step on",
        discussion: [
          "Shows a secret as text, as a URI and, if qrencode is installed, as a QR code. Enter the secret in an "
            + "authenticator app, then a code of the app here: that turns the second step on. The secret is never shown "
            + "again. Until it is on, run 'two-step on' again to enter a code of the same secret or to create a new secret. "
            + "Afterwards the command offers to end your other sessions, which started without a code.",
          "Needs a password that you entered recently, and asks for it on a terminal. Also create recovery codes: if you "
            + "lose the device, enter one of them instead.",
          "Without a terminal, or with --json, only the secret is printed. Then confirm it with --code-stdin.",
        ],
        options: [Options.codeFromInput],
        examples: [
          .init("two-step on", "shows a secret and asks for a code"),
          .init("two-step on --code-stdin < code", "reads the code for the secret that was shown last"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        TwoStepCommand(action: .on, codeFromInput: try words[Options.codeFromInput])
      }
    }
  }

  private static var off: Command<any CommandBody> {
    Command("off") {
      .init(
        summary: "Turn the second step off",
        discussion: [
          "Asks for a code of the app or a recovery code. A wrong code counts as a wrong password.",
          "Needs a password that you entered recently, and asks for it on a terminal.",
        ],
        options: [Options.codeFromInput],
        examples: [
          .init("two-step off", "asks for a code"),
          .init("two-step off --code-stdin < code", "reads the code from a file"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        TwoStepCommand(action: .off, codeFromInput: try words[Options.codeFromInput])
      }
    }
  }

  private static var status: Command<any CommandBody> {
    Command("status") {
      .init(
        summary: "Show whether the second step is on",
        examples: [.init("two-step status", "shows since when, and how many recovery codes are left")],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
      ) { _ throws(UsageError) in TwoStepCommand(action: .status) }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    switch action {
    case .on where codeFromInput: try await workspace.confirmTwoStep()
    case .on: try await workspace.turnTwoStepOn(try await workspace.activeSession())
    case .off: try await workspace.turnTwoStepOff(codeFromInput: codeFromInput)
    case .status: try await workspace.showTwoStep()
    }
  }
}

extension Workspace {
  private static let tries = 3
  /// After a secret was shown: to begin again would make another one, and the app has this one.
  private static let pendingHint: Hint =
    "The second step is not on. The secret stays valid: enter its next code with \(run: "two-step", "on")"
  private static let pendingQuestion = "Code of the secret that was shown before, or Enter for a new secret: "

  /// `two-step status`.
  func showTwoStep() async throws(CommandError) -> Answer {
    let state = try await twoStep(try await activeSession())
    var lines = [
      state.since.map { "On since \(UTCTime(seconds: $0.seconds).local)." }
        ?? (state.isPending ? "Off: the new secret still needs its first code." : "Off.")
    ]
    if state.isOn {
      lines.append("\(state.recoveryCodes) recovery code\(state.recoveryCodes == 1 ? "" : "s") left.")
    }
    if state.isRequired { lines.append("Administrators of this database need it.") }
    return Answer(
      .onlyShows, lines: lines,
      [
        "two_step": .string(state.isOn ? "on" : state.isPending ? "pending" : "off"),
        "since": .string(orNull: state.since?.iso8601), "recovery_codes": .integer(Int64(state.recoveryCodes)),
        "required": .bool(state.isRequired),
      ])
  }

  private func twoStep(_ session: LoggedInSession) async throws(CommandError) -> TwoStepState {
    try await ask(session) { (lease) throws(BackendError) in try backend.twoStep(under: lease) }
  }

  /// `two-step on`: a new secret, and on a terminal its first code.
  func turnTwoStepOn(_ session: LoggedInSession) async throws(CommandError) -> Answer {
    let state = try await twoStep(session)
    guard !state.isOn else { throw CommandError(BackendError.refused(.twoStepAlreadyOn)) }
    let fresh = try await fresh(session)
    let isAsking = !printer.asJSON && PasswordQuestion.hasTerminal
    if state.isPending, isAsking, try await confirmOnTerminal(Self.pendingQuestion, mayBeEmpty: true, fresh) {
      return try await offeringToEndOthers(turnedOn(session.user), fresh)
    }
    let secret = try await ask(fresh.session) { (lease) throws(BackendError) in
      try backend.beginTwoStep(for: fresh, under: lease)
    }
    let begun = Answer.Effect.changed(
      "a secret was created, and the second step is still off", hint: "Begin again: \(run: "two-step", "on")")
    if state.isPending { printer.say("The secret that was shown before is void.") }
    guard isAsking else {
      if !printer.asJSON { try show(secret, begun) }
      return Answer(
        begun,
        [
          "two_step": "pending", "user": .user(session.user), "secret": .string(secret.text),
          "uri": .string(secret.uri),
        ],
        notes: [
          "The second step is still off. Enter the secret in the app, then run: \(run: "two-step", "on", "--code-stdin")"
        ])
    }
    try show(secret, begun)
    _ = try await confirmOnTerminal("Authenticator code: ", fresh)
    return try await offeringToEndOthers(turnedOn(session.user), fresh)
  }

  /// Asks for a code of the secret, and again after a wrong one.
  ///
  /// - Returns: False when nothing was entered where that is an answer; otherwise the step is on.
  private func confirmOnTerminal(
    _ question: String, mayBeEmpty: Bool = false, _ fresh: FreshSession
  ) async throws(CommandError) -> Bool {
    for left in (0..<Self.tries).reversed() {
      let code: Secret
      do throws(CommandError) {
        code = try PasswordQuestion.codeOnTerminal(question, mayBeEmpty: mayBeEmpty)
      } catch {
        throw error.withHint(Self.pendingHint)
      }
      if code.bytes.isEmpty { return false }
      do throws(CommandError) {
        try await confirm(code, fresh)
        return true
      } catch {
        // Of other errors it may be unknown whether the second step is on.
        guard error == CommandError(code: .wrongCode) else { throw error }
        if left > 0 { printer.say(Hint(PasswordQuestion.wrongCode(triesLeft: left))) }
      }
    }
    throw CommandError(code: .wrongCode, hint: Self.pendingHint)
  }

  /// Prints the answer, and offers to end the other sessions, which were begun without a code.
  private func offeringToEndOthers(_ answer: Answer, _ fresh: FreshSession) async throws(CommandError) -> Answer {
    let others: [SessionSummary]
    do throws(CommandError) {
      others = try await ask(fresh.session) { (lease) throws(BackendError) in try backend.sessions(under: lease) }
        .filter { !$0.isCurrent }
    } catch {
      // The step is on, whether or not there is anything to offer.
      return answer
    }
    if others.isEmpty || printer.isQuiet { return answer }
    try printer.show(answer)
    let count = SessionsScreen.others(others.count)
    let typed: [UInt8]
    do throws(PromptError) {
      typed = try NameQuestion.ask(
        "Type yes to end \(count), or Enter to keep: ", for: "answer", insteadUse: "sessions")
    } catch {
      return Answer(.onlyShows)
    }
    guard typed == Array("yes".utf8) else { return Answer(.onlyShows) }
    for session in others {
      try await ask(fresh.session) { (lease) throws(BackendError) in
        try backend.revokeSession(session.id, for: fresh, under: lease)
      }
    }
    return Answer(
      .changed("\(count) ended", hint: "Look with: \(run: "sessions")"), lines: ["Ended \(count)."])
  }

  /// Prints the secret: with `--quiet` too, because nobody can see it again.
  private func show(_ secret: TwoStepSecret, _ effect: Answer.Effect) throws(CommandError) {
    let output = printer.streams.output
    output.writeLine(secret.text)
    output.writeLine(secret.uri)
    do throws(OutputError) {
      try output.flush(survivingClosedPipe: true)
    } catch {
      throw CommandError(error, after: effect)
    }
    if output.isTerminal, !printer.isQuiet {
      if QRCode.columns(of: secret.uri) <= output.width {
        if !QRCode.show(secret.uri, colors: output.style.allowsColor) {
          printer.say("\(QRCode.missing)")
        }
      } else {
        printer.say("The terminal is too narrow for a QR code, which needs \(QRCode.columns(of: secret.uri)) columns.")
      }
    }
    printer.say("Enter it in an authenticator app. It is not shown again.")
  }

  /// `two-step on --code-stdin`: the code of the secret that was made last.
  func confirmTwoStep() async throws(CommandError) -> Answer {
    let session = try await activeSession()
    let fresh = try await fresh(session)
    try await confirm(try PasswordQuestion.codeFromInput(), fresh)
    return turnedOn(session.user)
  }

  private func confirm(_ code: Secret, _ fresh: FreshSession) async throws(CommandError) {
    try await askingForCode(fresh) { (lease) throws(BackendError) in
      try backend.confirmTwoStep(code, for: fresh, under: lease)
    }
  }

  private func turnedOn(_ user: User) -> Answer {
    Answer(
      .changed("the second step is on", hint: "Look with: \(run: "two-step", "status")"),
      lines: ["The second step of \(escaping: user.username) is on."], ["two_step": "on", "user": .user(user)],
      notes: [
        "From now on, enter a code after your password.",
        "Create recovery codes now, in case you lose the device: \(run: "recovery-codes")",
        "Your other sessions stay active. List them, and end those you do not know: \(run: "sessions")",
      ])
  }

  /// `two-step off`.
  func turnTwoStepOff(codeFromInput: Bool) async throws(CommandError) -> Answer {
    let session = try await activeSession()
    guard try await twoStep(session).isOn else { throw CommandError(BackendError.refused(.twoStepNotOn)) }
    let fresh = try await fresh(session)
    let code =
      codeFromInput
      ? try PasswordQuestion.codeFromInput()
      : try PasswordQuestion.codeOnTerminal(PasswordQuestion.codeQuestion)
    try await askingForCode(fresh) { (lease) throws(BackendError) in
      try backend.endTwoStep(code, for: fresh, under: lease)
    }
    return Answer(
      .changed("the second step is off", hint: "Look with: \(run: "two-step", "status")"),
      lines: ["The second step of \(escaping: session.user.username) is off."],
      ["two_step": "off", "user": .user(session.user)])
  }

  /// Asks the backend something about a code, and says of a wrong one that it is no password.
  private func askingForCode(
    _ fresh: FreshSession, _ question: (borrowing SessionLease) throws(BackendError) -> Void
  ) async throws(CommandError) {
    do throws(CommandError) {
      try await ask(fresh.session, question)
    } catch {
      if error == CommandError(code: .wrongPassword) { throw CommandError(code: .wrongCode) }
      throw error.wait.map { CommandError(.wait($0), .throttledCode) } ?? error
    }
  }
}
