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
      ("accounts registration", "shows whether registration is open"),
      ("accounts registration closed", "lets only administrators create accounts"),
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
