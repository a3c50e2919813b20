import AuthBackend
import AuthLocal
import CommandLineKit

/// The kinds of value that the commands take.
enum Kinds {
  static let username = name("a user name", accepted: Username.rule) { (text) throws(BackendError) in
    _ = try Username(text)
  }
  /// Any text: the account says what cannot be shown as a name, and why.
  static let displayName = ValueKind("a name", accepted: DisplayName.rule) { $0.text }
  static let amount = ValueKind<Amount>(
    "an amount", accepted: "12, 12.5 or 12.50: greater than zero, at most \(Amount.largest), without a sign"
  ) { word in
    word.text.flatMap { text in try? Amount(text) }
  }
  static let idempotencyKey = name("an idempotency key", accepted: IdempotencyKey.rule) {
    (text) throws(BackendError) in _ = try IdempotencyKey(text)
  }
  static let context = ValueKind<ContextName>(
    "a context", accepted: "1 to 64 of the characters A-Z a-z 0-9 . _ -, beginning with a letter or a digit"
  ) { word in
    word.text.flatMap { text in try? ContextName(text) }
  }
  static let duration = ValueKind.duration()
  static let pageLength = ValueKind.wholeNumber("the length of a page", in: 1...1000)
  static let receipt = ValueKind.serialNumber("the number of a receipt")
  static let event = ValueKind.serialNumber("the number of an event", example: 1_769_851_800_000_000)

  /// Text that `check` accepts: what checks it is what has the rule that the message states.
  private static func name(
    _ noun: String, accepted: @autoclosure @escaping @Sendable () -> String,
    check: @escaping @Sendable (String) throws(BackendError) -> Void
  ) -> ValueKind<String> {
    ValueKind(noun, accepted: accepted()) { word in
      guard let text = word.text else { return nil }
      do throws(BackendError) { try check(text) } catch { return nil }
      return text
    }
  }
}

/// The options of all commands.
///
/// An option that several commands take is one constant.
enum Options {
  static let json = Option.flag("json", "Print JSON: one document on a line, with a version, never a secret")
  static let quiet = Option.flag(
    "quiet", short: "q", "Print errors only; the exit status says the rest, and --json still prints")
  static let context = Option.optional(
    "context", "NAME", Kinds.context, "Use the session of this name; contexts stand side by side",
    environment: "AUTH_CLI_CONTEXT")
  static let noColor = Option.flag("no-color", "Print without colour")

  static let passwordFromInput = Option.flag("password-stdin", "Read the password from standard input, one line")
  static let passwordsFromInput = Option.flag(
    "password-stdin", "Read the present password and the new one from standard input, a line each")
  static let switching = Option.flag("switch", "Log in even if somebody else is logged in here, and end that session")
  static let idle = Option.optional(
    "idle", "DURATION", Kinds.duration,
    "End the session after this long without activity; shorter than the standard only")
  static let absolute = Option.optional(
    "absolute", "DURATION", Kinds.duration,
    "End the session after this long in any case; shorter than the standard only")
  static let everywhere = Option.flag("all", "End all sessions of this user, on every device and in every context")

  static let payee = Option.required("to", "USER", Kinds.username, "Who is paid")
  static let idempotencyKey = Option.optional(
    "idempotency-key", "KEY", Kinds.idempotencyKey,
    "Name this payment, so that a retry pays once and gives the same receipt")
  static let newName = Option.optional("name", "NAME", Kinds.displayName, "Change the name that screens show")

  static let limit = Option.standard(
    "limit", "N", Kinds.pageLength, "Show at most this many", standard: pageLength, shownAs: "\(pageLength)")
  /// How many a page shows when nothing is said.
  static let pageLength = 20
  static let before = Option.optional(
    "before", "ID", Kinds.receipt, "Show what came before this receipt: the next page")
  static let beforeEvent = Option.optional(
    "before", "ID", Kinds.event, "Show what came before this event: the next page")
  static let after = Option.optional(
    "after", "USER", Kinds.username, "Show what comes after this account: the next page")
  static let since = Option.optional(
    "since", "WHEN", .moment(),
    "Show what happened since: 8h, 1d or 1w (ago), 2026-01-31 (in UTC), 2026-01-31T09:30:00Z or, with an offset, "
      + "2026-01-31T10:30:00+01:00")

  static let until = Option.optional(
    "until", "STATE", ValueKind<WatchEnd>.choice("a state to wait for"), "End when this state is reached")
  static let format = Option.standard(
    "format", "FORMAT", ValueKind<MachineFormat>.choice("a format"), "How to print it", standard: .text, shownAs: "text"
  )
}

/// The positional arguments of all commands.
enum Arguments {
  static let newUser = Argument.optional("USER", Kinds.username, "The name of the new account; asked for when left out")
  static let user = Argument.optional("USER", Kinds.username, "Who logs in; asked for when left out")
  static let account = Argument.required("USER", Kinds.username, "The account")
  static let amount = Argument.required("AMOUNT", Kinds.amount, "How much: 12, 12.5 or 12.50, and no other form")
  static let session = Argument.required(
    "ID", .identifier("a session"), "The session, by its name in 'sessions' and 'events'")
  static let topic = Argument.rest(
    "COMMAND", .helpTopic("a command", besides: topics),
    "A command with its subcommand, or a topic: statuses, codes, environment, files; none is the overview")
  private static let topics: [ValueForm.Candidate] = [
    .init(value: "statuses", summary: "The exit statuses"), .init(value: "codes", summary: "The codes of refusals"),
    .init(value: "environment", summary: "The variables"), .init(value: "files", summary: "The files"),
  ]
  static let shell = Argument.required("SHELL", ValueKind<Shell>.choice("a shell"), "The shell to write for")
}
