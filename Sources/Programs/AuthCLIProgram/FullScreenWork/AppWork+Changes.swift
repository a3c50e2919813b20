import AuthAccounts
import AuthCore
import AuthFullScreen
import CommandLineKit

extension OwnChange {
  /// Makes the change, and returns the result with what the screen opens next.
  func perform(
    at backend: any Backend, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AppResult {
    switch self {
    case .makeRecoveryCodes:
      let codes = try backend.makeRecoveryCodes(for: fresh, under: lease)
      return AppResult(done: "You have new recovery codes.", page: .codes(codes.map(\.text)))
    case .beginTwoStep:
      let secret = try backend.beginTwoStep(for: fresh, under: lease)
      let drawn = Environment.hasOtherEncoding ? nil : QRCode.lines(secret.uri)
      let picture = drawn.map { $0.isEmpty ? [QRCode.failed] : $0 } ?? []
      let shown = AppSecret(text: secret.text, picture: picture, note: picture.isEmpty ? QRCode.missing : "")
      return AppResult(done: "", form: .confirmTwoStep(shown))
    case .confirmTwoStep(let code):
      try backend.confirmTwoStep(code, for: fresh, under: lease)
      // The change succeeded even if the list of sessions cannot be read.
      let others = (try? backend.otherSessions(under: lease).count) ?? 0
      let question = "End \(SessionSummary.others(others))? They started without a code."
      return AppResult(
        done: "The second step is on. Without recovery codes, make some now.",
        question: others == 0 ? nil : AppQuestion(text: question, action: .change(.revokeOthers)))
    case .endTwoStep(let code):
      try backend.endTwoStep(code, for: fresh, under: lease)
      return AppResult(done: "The second step is off.")
    case .revoke(let id):
      try backend.revokeSession(id, for: fresh, under: lease)
      return AppResult(done: "Session \(id.rawValue) is ended.")
    case .revokeOthers:
      let others = try backend.otherSessions(under: lease)
      try backend.revoke(others, for: fresh, under: lease)
      let ended = "Ended \(SessionSummary.others(others.count))."
      return AppResult(done: ended + " Without recovery codes, make some now.")
    case .deleteAccount:
      try backend.deleteAccount(for: fresh, under: lease)
      return AppResult(done: "Your account is deleted.")
    }
  }
}

extension Administration {
  /// Makes the change, and returns the message and the new code, if there is one.
  func perform(
    at backend: any Backend, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AppResult {
    switch self {
    case .change(let change, let name):
      _ = try change.make(to: try Username(name), at: backend, for: administrator, fresh, under: lease)
      return AppResult(done: "\(name) is \(change.words.done) now.")
    case .resetPassword(let name):
      let code = try backend.resetPassword(of: try Username(name), for: administrator, fresh, under: lease)
      return AppResult(done: "A one-time code for \(name) is made.", page: .code(code))
    case .delete(let name):
      try backend.deleteAccount(try Username(name), for: administrator, fresh, under: lease)
      return AppResult(done: "The account \(name) is deleted.")
    case .create(let name):
      let code = try backend.registerOther(username: name, for: administrator, fresh, under: lease)
      return AppResult(done: "Created \(name).", page: .code(code))
    case .registration(let registration):
      try backend.setRegistration(registration, for: administrator, fresh, under: lease)
      return AppResult(done: "Registration is \(registration.rawValue) now.")
    case .twoStep(let policy):
      try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
      return AppResult(
        done: "A second step is \(policy == .optional ? "optional" : "required of administrators") now.")
    }
  }
}
