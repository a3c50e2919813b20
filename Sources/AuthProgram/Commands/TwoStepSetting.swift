import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `accounts two-step [STATE]`.
struct TwoStepSettingCommand: CommandBody {
  let policy: TwoStepPolicy?

  static var command: Command<any CommandBody> {
    Command("two-step") {
      .init(
        summary: "Show or change who must log in in two steps",
        discussion: [
          "While it is required, an administrator without a second step can do nothing but set one up. That holds for "
            + "sessions that are open, too. The database enforces it.",
          "A change needs a password that you entered recently, and asks for it on a terminal.",
        ],
        arguments: [Arguments.twoStepPolicy],
        examples: [
          .init("accounts two-step", "shows whether administrators must have a second step"),
          .init("accounts two-step required", "requires it of all administrators"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        TwoStepSettingCommand(policy: try words[Arguments.twoStepPolicy])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.twoStepPolicy(changedTo: policy)
  }
}

extension Arguments {
  fileprivate static let twoStepPolicy = Argument.optional(
    "STATE", ValueKind<TwoStepPolicy>.choice("a rule for the second step"),
    "required or optional; if omitted, the present rule is shown")
}

extension TwoStepPolicy: Choice {
  package var summary: String {
    switch self {
    case .optional: "everybody decides for themselves"
    case .required: "administrators must have one"
    }
  }
}

extension Workspace {
  /// `accounts two-step [STATE]`.
  func twoStepPolicy(changedTo policy: TwoStepPolicy?) async throws(CommandError) -> Answer {
    let screen = try await open(AccountsScreen.self)
    let administrator = try administrator(screen.session)
    guard let policy else {
      let (_, present) = try await asking { () throws(LeaseError<BackendError>) in
        try screen.rules(at: backend, for: administrator)
      }
      return describe(.onlyShows, present, without: try await administratorsWithoutStep(on: screen, administrator))
    }
    let without = policy == .required ? try await administratorsWithoutStep(on: screen, administrator) : []
    if !without.isEmpty {
      printer.say("These administrators have no second step, and can then only set one up: \(Self.list(without)).")
    }
    try await askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
    }
    return describe(
      .changed("the second step is \(policy.rawValue)", hint: "Look with: \(run: "accounts", "two-step")"), policy,
      without: nil,
      notes: without.contains(screen.session.user.username) ? ["Set up yours: \(run: "two-step", "on")"] : [])
  }

  /// The administrators who could do nothing else before they set up a second step, if it is
  /// required.
  private func administratorsWithoutStep(
    on screen: AccountsScreen, _ administrator: AdminSession
  ) async throws(CommandError) -> [String] {
    var query = AccountsQuery(limit: 200)
    var names: [String] = []
    while true {
      let page = try await asking { () throws(LeaseError<BackendError>) in
        try screen.page(query, of: backend, for: administrator)
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
    _ effect: Answer.Effect, _ policy: TwoStepPolicy, without: [String]?, notes: [Hint] = []
  ) -> Answer {
    Answer(
      effect,
      lines: bar("Accounts") + ["The second step is \(policy.rawValue): \(policy.summary)."]
        + (without?.isEmpty == false ? ["Administrators without one: \(Self.list(without ?? []))."] : []),
      [
        "two_step": .string(policy.rawValue),
        "administrators_without": without.map { .array($0.map(JSON.string)) } ?? .null,
      ], notes: notes)
  }
}
