import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `accounts registration [STATE]`.
struct RegistrationCommand: CommandBody {
  let state: Registration?

  static let command = Command<any CommandBody>(
    "registration", summary: "Show or change who may create accounts",
    discussion: [
      "While registration is closed only an administrator creates accounts: 'register USER' then prints a one-time "
        + "code for the new user, valid for three days, which 'recover' takes.",
      "A change needs a password that you entered recently, and asks for it on a terminal.",
    ],
    arguments: [registration],
    examples: [
      "accounts registration": "shows whether registration is open",
      "accounts registration closed": "lets only administrators create accounts",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in RegistrationCommand(state: words[registration]) }

  private static let registration = Argument.optional(
    "STATE", ValueKind<Registration>.choice("a state of the registration"),
    "open or closed; if omitted, the present state is shown")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let backend = workspace.backend
    if let state {
      try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
        try backend.setRegistration(state, for: administrator, fresh, under: lease)
      }
      let hint: Hint = "Look with: \(run: "accounts", "registration")"
      return describe(.changed("registration is \(state.rawValue)", hint: hint), state, in: workspace)
    }
    let session = try await workspace.activeSession()
    let administrator = try workspace.administrator(session)
    let present = try await workspace.ask(session) { (lease) throws(BackendError) in
      try backend.registration(for: administrator, under: lease)
    }
    return describe(.onlyShows, present, in: workspace)
  }

  private func describe(_ effect: Answer.Effect, _ state: Registration, in workspace: Workspace) -> Answer {
    Answer(
      effect, lines: workspace.bar("Accounts") + ["Registration is \(state.rawValue): \(state.summary)."],
      ["registration": .string(state.rawValue)])
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
struct TwoStepSettingCommand: CommandBody {
  let policy: TwoStepPolicy?

  static let command = Command<any CommandBody>(
    "two-step", summary: "Show or change who must log in in two steps",
    discussion: [
      "While it is required, an administrator without a second step can do nothing but set one up. That holds for "
        + "sessions that are open, too. The database enforces it.",
      "A change needs a password that you entered recently, and asks for it on a terminal.",
    ],
    arguments: [twoStepPolicy],
    examples: [
      "accounts two-step": "shows whether administrators must have a second step",
      "accounts two-step required": "requires it of all administrators",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in TwoStepSettingCommand(policy: words[twoStepPolicy]) }

  private static let twoStepPolicy = Argument.optional(
    "STATE", ValueKind<TwoStepPolicy>.choice("a rule for the second step"),
    "required or optional; if omitted, the present rule is shown")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let backend = workspace.backend
    let screen = try await workspace.open(AccountsScreen.self)
    let administrator = try workspace.administrator(screen.session)
    guard let policy else {
      let present = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
        try backend.twoStepPolicy(for: administrator, under: lease)
      }
      let without = try await administratorsWithoutStep(on: screen, administrator, in: workspace)
      return describe(.onlyShows, present, without: without, in: workspace)
    }
    var without: [String] = []
    if policy == .required { without = try await administratorsWithoutStep(on: screen, administrator, in: workspace) }
    if !without.isEmpty {
      workspace.printer.say(
        "These administrators have no second step, and can then only set one up: \(Self.list(without)).")
    }
    try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
    }
    return describe(
      .changed("the second step is \(policy.rawValue)", hint: "Look with: \(run: "accounts", "two-step")"), policy,
      without: nil, in: workspace,
      notes: without.contains(screen.session.user.username) ? ["Set up yours: \(run: "two-step", "on")"] : [])
  }

  /// The administrators who could do nothing else before they set up a second step, if it is
  /// required.
  private func administratorsWithoutStep(
    on screen: AccountsScreen, _ administrator: AdminSession, in workspace: Workspace
  ) async throws(CommandError) -> [String] {
    var query = AccountsQuery(limit: 200)
    var names: [String] = []
    while true {
      let page = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
        try screen.page(query, of: workspace.backend, for: administrator, under: lease)
      }
      names += page.items.filter { $0.user.role == .administrator && !$0.isDisabled && !$0.hasSecondStep }
        .map(\.user.username)
      guard let last = page.lastOfMore else { return names }
      query.after = last.user.username
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map(TextEscaping.escape).joined(separator: ", ")
  }

  /// `without`: the administrators without one, where that was looked up.
  private func describe(
    _ effect: Answer.Effect, _ policy: TwoStepPolicy, without: [String]?, in workspace: Workspace, notes: [Hint] = []
  ) -> Answer {
    Answer(
      effect,
      lines: workspace.bar("Accounts") + ["The second step is \(policy.rawValue): \(policy.summary)."]
        + (without?.isEmpty == false ? ["Administrators without one: \(Self.list(without ?? []))."] : []),
      [
        "two_step": .string(policy.rawValue),
        "administrators_without": without.map { .array($0.map(JSON.string)) } ?? .null,
      ], notes: notes)
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
