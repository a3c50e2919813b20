import AuthBackend
import AuthCore
import CommandLineKit

/// A change of a user's own account or sessions, which needs a recent password.
enum OwnChange: Equatable, Sendable {
  case makeRecoveryCodes
  case beginTwoStep
  case confirmTwoStep(Secret)
  case endTwoStep(Secret)
  case revoke(SessionID)
  case revokeOthers
  case deleteAccount

  /// The message while the change runs.
  var progress: String {
    switch self {
    case .makeRecoveryCodes: "Making codes"
    case .beginTwoStep: "Making a secret"
    case .confirmTwoStep, .endTwoStep: "Checking the code"
    case .revoke: "Ending the session"
    case .revokeOthers: "Ending your other sessions"
    case .deleteAccount: "Deleting the account"
    }
  }

  /// Makes the change, and returns the result with what the screen opens next.
  func perform(
    at backend: any Backend, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AppOutcome {
    switch self {
    case .makeRecoveryCodes:
      let codes = try backend.makeRecoveryCodes(for: fresh, under: lease)
      return AppOutcome(done: "You have new recovery codes.", page: .codes(codes.map(\.text)))
    case .beginTwoStep:
      let secret = try backend.beginTwoStep(for: fresh, under: lease)
      let drawn = Environment.hasOtherEncoding ? nil : QRCode.lines(secret.uri)
      let picture = drawn.map { $0.isEmpty ? [QRCode.failed] : $0 } ?? []
      return AppOutcome(done: "", form: .confirmTwoStep(AppSecret(text: secret.text, picture: picture)))
    case .confirmTwoStep(let code):
      try backend.confirmTwoStep(code, for: fresh, under: lease)
      // The change succeeded even if the list of sessions cannot be read.
      let others = (try? backend.otherSessions(under: lease).count) ?? 0
      let question = "End \(SessionSummary.others(others))? They started without a code."
      return AppOutcome(
        done: "The second step is on. Without recovery codes, make some now.",
        question: others == 0 ? nil : AppQuestion(text: question, action: .change(.revokeOthers)))
    case .endTwoStep(let code):
      try backend.endTwoStep(code, for: fresh, under: lease)
      return AppOutcome(done: "The second step is off.")
    case .revoke(let id):
      try backend.revokeSession(id, for: fresh, under: lease)
      return AppOutcome(done: "Session \(id.rawValue) is ended.")
    case .revokeOthers:
      let others = try backend.otherSessions(under: lease)
      try backend.revoke(others, for: fresh, under: lease)
      let ended = "Ended \(SessionSummary.others(others.count))."
      return AppOutcome(done: ended + " Without recovery codes, make some now.")
    case .deleteAccount:
      try backend.deleteAccount(for: fresh, under: lease)
      return AppOutcome(done: "Your account is deleted.")
    }
  }
}

/// A change by an administrator, which needs a recent password.
enum Administration: Equatable, Sendable {
  case change(AccountChange, String)
  /// Makes a one-time code for a new password.
  case resetPassword(String)
  case delete(String)
  /// Creates an account for another person, with a one-time code.
  case create(String)
  case registration(Registration)
  case twoStep(TwoStepPolicy)

  /// The question to confirm first; nil for no question.
  var question: String? {
    switch self {
    case .change(.unlock, _), .create, .delete: nil
    case .change(.enable, let name): "Enable \(name)?"
    case .change(.disable, let name): "Disable \(name), and end all its sessions?"
    case .change(.promote, let name): "Make \(name) an administrator?"
    case .change(.demote, let name): "Take the role of administrator away from \(name)?"
    case .resetPassword(let name): "Make a one-time code for \(name)? An earlier code stops working."
    case .registration(.open): "Open the registration? Then everybody may create an account."
    case .registration(.closed): "Close the registration? Then only administrators create accounts."
    case .twoStep(.optional): "Let administrators log in without a second step?"
    case .twoStep(.required):
      "Require a second step of administrators? Without one they can do nothing but set one up."
    }
  }

  /// Makes the change, and returns the message and the new code, if there is one.
  func perform(
    at backend: any Backend, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AppOutcome {
    switch self {
    case .change(let change, let name):
      _ = try change.make(to: try Username(name), at: backend, for: administrator, fresh, under: lease)
      return AppOutcome(done: "\(name) is \(change.words.done) now.")
    case .resetPassword(let name):
      let code = try backend.resetPassword(of: try Username(name), for: administrator, fresh, under: lease)
      return AppOutcome(done: "A one-time code for \(name) is made.", page: .code(code))
    case .delete(let name):
      try backend.deleteAccount(try Username(name), for: administrator, fresh, under: lease)
      return AppOutcome(done: "The account \(name) is deleted.")
    case .create(let name):
      let code = try backend.registerOther(username: name, for: administrator, fresh, under: lease)
      return AppOutcome(done: "Created \(name).", page: .code(code))
    case .registration(let registration):
      try backend.setRegistration(registration, for: administrator, fresh, under: lease)
      return AppOutcome(done: "Registration is \(registration.rawValue) now.")
    case .twoStep(let policy):
      try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
      return AppOutcome(
        done: "A second step is \(policy == .optional ? "optional" : "required of administrators") now.")
    }
  }
}
