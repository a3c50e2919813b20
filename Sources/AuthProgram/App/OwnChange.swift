import AuthBackend
import AuthCore
import CommandLineKit

/// What users change about their own accounts and sessions, with a recent password.
enum OwnChange: Equatable, Sendable {
  case makeRecoveryCodes
  case beginTwoStep
  case confirmTwoStep(Secret)
  case endTwoStep(Secret)
  case revoke(SessionID)
  case revokeOthers
  case deleteAccount

  /// The words while it is made.
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

  /// Makes it, and says so; with what follows.
  func perform(
    at backend: any Backend, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AppOutcome {
    switch self {
    case .makeRecoveryCodes:
      let codes = try backend.makeRecoveryCodes(for: fresh, under: lease)
      return AppOutcome(done: "You have new recovery codes.", page: .codes(codes.map(\.text)))
    case .beginTwoStep:
      let secret = try backend.beginTwoStep(for: fresh, under: lease)
      let picture = Environment.hasOtherEncoding ? [] : QRCode.lines(secret.uri)
      return AppOutcome(done: "", form: .confirmTwoStep(AppSecret(text: secret.text, picture: picture)))
    case .confirmTwoStep(let code):
      try backend.confirmTwoStep(code, for: fresh, under: lease)
      // The step is on, whether or not the list of sessions can be read.
      let others = (try? backend.otherSessions(under: lease).count) ?? 0
      let question = "End \(SessionSummary.others(others))? They started without a code."
      return AppOutcome(
        done: "The second step is on. Make recovery codes now, in case you lose the device.",
        question: others == 0 ? nil : AppQuestion(text: question, action: .change(.revokeOthers)))
    case .endTwoStep(let code):
      try backend.endTwoStep(code, for: fresh, under: lease)
      return AppOutcome(done: "The second step is off.")
    case .revoke(let id):
      try backend.revokeSession(id, for: fresh, under: lease)
      return AppOutcome(done: "Session \(id.rawValue) is ended.")
    case .revokeOthers:
      let others = try backend.otherSessions(under: lease)
      for other in others { try backend.revokeSession(other.id, for: fresh, under: lease) }
      let ended = "Ended \(SessionSummary.others(others.count))."
      return AppOutcome(done: ended + " Make recovery codes now, in case you lose the device.")
    case .deleteAccount:
      try backend.deleteAccount(for: fresh, under: lease)
      return AppOutcome(done: "Your account is deleted.")
    }
  }
}
