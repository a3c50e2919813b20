import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `accounts registration [STATE]`.
enum RegistrationCommand {
  static let command = Command<CommandBody>(
    "registration", summary: "Show or change who may create accounts",
    discussion: [
      "While registration is closed, only administrators can create accounts: for them, 'register USER' prints a "
        + "one-time code, valid for three days, with which the new user sets a password ('recover').",
      "For a change it \(Confirmation.ofPassword.lowercasedFirst)",
    ],
    arguments: [registration],
    examples: [
      "accounts registration": "shows whether registration is open",
      "accounts registration closed": "lets only administrators create accounts",
    ]
  ) { _ in .inWorkspace(run) }

  private static let registration = Argument.optional(
    "STATE", ValueKind<Registration>.choice("a state of the registration"),
    "open or closed; if omitted, the current state is shown")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let backend = workspace.backend
    var effect = CommandResult.Effect.onlyShows
    let present: Registration
    if let state = words[registration] {
      try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
        try backend.setRegistration(state, for: administrator, fresh, under: lease)
      }
      effect = .changed("registration is \(state.rawValue)", hint: "Check with: \(run: "accounts", "registration")")
      present = state
    } else {
      present = try await workspace.askOnAccounts { (_, administrator, lease) throws(BackendError) in
        try backend.registration(for: administrator, under: lease)
      }
    }
    return CommandResult(
      effect, lines: workspace.bar("Accounts") + ["Registration is \(present.rawValue): \(present.summary)."],
      ["registration": .string(present.rawValue)])
  }
}

extension Registration: Choice {
  package var summary: String {
    switch self {
    case .open: "everybody may create an account"
    case .closed: "only an administrator may create accounts"
    }
  }
}

/// `accounts two-step [STATE]`.
enum TwoStepSettingCommand {
  static let command = Command<CommandBody>(
    "two-step", summary: "Show or change who must log in in two steps",
    discussion: [
      "While the second step is required, an administrator without one can only set one up. This also applies to open "
        + "sessions. The database enforces it. Before you can require it, you need one yourself; the command then asks "
        + "you to confirm, unless --yes is given.",
      "For a change it \(Confirmation.ofPassword.lowercasedFirst)",
    ],
    arguments: [twoStepPolicy], options: [Confirmation.yes],
    examples: [
      "accounts two-step": "shows whether administrators must have a second step",
      "accounts two-step required": "requires it of all administrators",
    ]
  ) { _ in .inWorkspace(run) }

  private static let twoStepPolicy = Argument.optional(
    "STATE", ValueKind<TwoStepPolicy>.choice("a rule for the second step"),
    "required or optional; if omitted, the current rule is shown")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let (backend, policy) = (workspace.backend, words[twoStepPolicy])
    let (present, without) = try await workspace.askOnAccounts {
      (screen, administrator, lease) throws(BackendError) in
      let present = try backend.twoStepPolicy(for: administrator, under: lease)
      if policy == .optional { return (present, [String]()) }
      return (present, try administratorsWithoutStep(on: screen, administrator, at: backend, under: lease))
    }
    let names = without.map(TextEscaping.escape).joined(separator: ", ")
    var effect = CommandResult.Effect.onlyShows
    if let policy {
      if without.contains(where: { $0 == workspace.store.session?.user.username }) {
        throw CommandError(code: .ownStepMissing)
      }
      if policy == .required, present == .optional {
        let others = without.isEmpty ? "." : ", and \(names) can then only set one up."
        try Confirmation.ask(words, "This requires a second step of all administrators\(others)")
      }
      try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
        try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
      }
      effect = .changed("the second step is \(policy.rawValue)", hint: "Check with: \(run: "accounts", "two-step")")
    }
    let shown = policy ?? present
    let list = policy != nil || without.isEmpty ? [] : ["Administrators without one: \(names)."]
    return CommandResult(
      effect,
      lines: workspace.bar("Accounts") + ["The second step is \(shown.rawValue): \(shown.summary)."] + list,
      [
        "two_step": .string(shown.rawValue),
        "administrators_without": policy == nil ? .array(without.map(JSON.string)) : nil,
      ])
  }

  /// The administrators who could only set up their second step if it were required.
  private static func administratorsWithoutStep(
    on screen: AccountsScreen, _ administrator: AdminSession, at backend: any Backend,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> [String] {
    var query = AccountsQuery(limit: 200)
    var names: [String] = []
    repeat {
      let page = try screen.page(query, of: backend, for: administrator, under: lease)
      names += page.items.filter { $0.user.role == .administrator && !$0.isDisabled && !$0.hasSecondStep }
        .map(\.user.username)
      query.after = page.lastOfMore?.user.username
    } while query.after != nil
    return names
  }
}

extension TwoStepPolicy: Choice {
  package var summary: String {
    switch self {
    case .optional: "everybody decides for themselves"
    case .required: "administrators must have one"
    }
  }
}
