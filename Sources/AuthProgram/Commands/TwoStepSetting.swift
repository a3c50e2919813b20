import AuthBackend
import AuthCore
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
    guard let policy else {
      let session = try await activeSession()
      let administrator = try administrator(session)
      return describe(
        .onlyShows,
        try await ask(session) { (lease) throws(BackendError) in
          try backend.twoStepPolicy(for: administrator, under: lease)
        })
    }
    try await askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
    }
    return describe(
      .changed("the second step is \(policy.rawValue)", hint: "Look with: \(run: "accounts", "two-step")"), policy)
  }

  private func describe(_ effect: Answer.Effect, _ policy: TwoStepPolicy) -> Answer {
    Answer(
      effect, lines: bar("Accounts") + ["The second step is \(policy.rawValue): \(policy.summary)."],
      ["two_step": .string(policy.rawValue)])
  }
}
