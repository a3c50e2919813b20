import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit

/// A form: the fields to fill in, and which of them has the cursor.
final class AppForm {
  /// What the form is for.
  indirect enum Purpose: Equatable, Sendable {
    /// Log in, and then open the tab.
    case logIn(then: AppTab, username: String = "")
    case register
    /// Enter the password again, and then do this.
    case reauthenticate(then: AppAction)
    /// Enter the code that is needed after the password of this action.
    case secondStep(of: AppAction)
    case pay(number: Int, payee: String = "")
    case rename(String)
    case changePassword
    case createAccount
    case deleteAccount(String, isOwn: Bool = false)
    /// Set a new password with a recovery code, or with the one-time code of an administrator.
    case recover(username: String = "")
    case confirmTwoStep(AppSecret)
    case endTwoStep
  }

  let purpose: Purpose
  let plan: AppFormPlan
  var focus = 0
  var problem: CommandError?
  /// Until when the same input would be refused again.
  var waitEnd: Duration?
  /// The form that this one covers, to come back to.
  let covered: AppForm?

  init(_ purpose: Purpose, covering covered: AppForm? = nil) {
    (self.purpose, self.covered) = (purpose, covered)
    plan = purpose.plan
    if !fields[0].isEmpty, fields.count > 1 { focus = 1 }
  }

  var fields: [AppInput] { plan.fields }

  /// Whether it fills a tab, so that the keys that change tabs work in it.
  var isTab: Bool { if case .pay = purpose { true } else { false } }

  var isLogin: Bool { if case .logIn = purpose { true } else { false } }

  /// Forgets the passwords that were typed.
  func clearSecrets() {
    for index in fields.indices.reversed() where fields[index].isSecret { clear(index) }
  }

  /// Forgets what has to be typed again after this refusal: the new password, the code, or all.
  func clearSecrets(after problem: CommandError) {
    if let last = fields.lastIndex(where: { $0.kind == .repetition }), problem.code.hasPrefix("password_") {
      for index in [last, last - 1] { clear(index) }
    } else if let code = fields.firstIndex(where: { $0.label == "Code" }) {
      clear(code)
    } else {
      clearSecrets()
    }
  }

  private func clear(_ index: Int) {
    fields[index].clear()
    focus = index
  }

  /// The action that submitting begins; nil if something is missing, and ``problem`` says what.
  func submit() -> AppAction? {
    problem = mistake()
    if problem != nil { return nil }
    do throws(BackendError) { return try plan.action(self) } catch {
      problem = CommandError(error)
      return nil
    }
  }

  /// What has to be corrected first; the cursor is there.
  private func mistake() -> CommandError? {
    if let empty = fields.firstIndex(where: \.isEmpty) {
      focus = empty
      return .mistake("\(fields[empty].label) is empty.", hint: "Fill it in, or press Esc.")
    }
    for (index, field) in fields.enumerated() {
      switch field.kind {
      case .repetition where !field.isLike(fields[index - 1]):
        clear(index)
        clear(index - 1)
        return .mistake("The two passwords differ.", hint: "Type both again.")
      case .confirmation(let name) where field.text != name:
        return .mistake("Nothing was deleted: the name differs.", hint: "Type \(name), or press Esc.")
      case .text, .secret, .repetition, .confirmation: break
      }
    }
    return nil
  }
}

extension CommandError {
  /// Why a form does not take what was typed.
  static func mistake(_ message: String, hint: Hint = "") -> CommandError {
    CommandError(.no, "mistake", message, hint: hint)
  }
}

/// The secret for an authenticator app, as a form shows it.
struct AppSecret: Equatable, Sendable, Redacted {
  let text: String
  /// A QR code in lines; none where no program draws it.
  let picture: [String]
}
