import AuthBackend
import AuthCore
import CommandLineKit

/// A form: some lines to fill in, of which one has the cursor.
final class AppForm {
  /// What the form is for.
  indirect enum Purpose: Equatable, Sendable {
    /// Log in, and then open the tab.
    case logIn(then: AppTab, username: String = "")
    case register
    /// Enter the password again, and then do this.
    case reauthenticate(then: AppAction)
    /// Enter the code that is asked for after the password of this.
    case secondStep(of: AppAction)
    case pay(number: Int, payee: String = "")
    case rename(String)
    case changePassword
    case createAccount
    case deleteAccount(String)
  }

  let purpose: Purpose
  /// What stands above the fields.
  let title: String
  let fields: [AppInput]
  /// What Enter does in the last line.
  let verb: String
  /// What to know before it is filled in.
  let advice: String
  var focus = 0
  var problem: CommandError?
  /// The form that this one covers, to come back to.
  let covered: AppForm?

  init(_ purpose: Purpose, covering covered: AppForm? = nil) {
    self.purpose = purpose
    self.covered = covered
    func secret(_ label: String) -> AppInput { AppInput(label, isSecret: true) }
    let password = "A password has at least 15 characters. A few words are easy to remember."
    switch purpose {
    case .logIn(let tab, let name):
      title = tab == .home ? "Log in" : "Log in to open \(tab.title)"
      fields = [AppInput("Username", name), secret("Password")]
      (verb, advice) = ("log in", "")
    case .register:
      title = "Create an account"
      fields = [AppInput("Username"), secret("Password"), secret("Repeat it")]
      (verb, advice) = ("create it", password)
    case .reauthenticate:
      title = "Enter your password again to go on"
      fields = [secret("Password")]
      (verb, advice) = ("go on", "")
    case .secondStep:
      title = "Enter a code of your authenticator app, or a recovery code"
      fields = [secret("Code")]
      (verb, advice) = ("go on", "")
    case .pay(_, let payee):
      title = "Pay somebody"
      fields = [AppInput("To", payee), AppInput("Amount")]
      (verb, advice) = ("pay", "An amount is written like 12 or 12.50.")
    case .rename(let name):
      title = "Change your name"
      fields = [AppInput("Name", name)]
      (verb, advice) = ("save", "")
    case .changePassword:
      title = "Change your password"
      fields = [secret("Present password"), secret("New password"), secret("Repeat it")]
      (verb, advice) = ("save", password)
    case .createAccount:
      title = "Create an account for somebody else"
      fields = [AppInput("Username")]
      (verb, advice) = ("create it", "You get a one-time code, with which the new user sets a password.")
    case .deleteAccount(let name):
      title = "Delete the account \(name) for ever"
      fields = [AppInput("Its username")]
      (verb, advice) = (
        "delete it",
        "Type its name to go on. Its balance must be 0.00. Its payments stay, and the name is never given again."
      )
    }
    focus = fields.firstIndex { $0.text.isEmpty } ?? 0
  }

  /// Whether it fills a tab, so that the keys that change tabs work in it.
  var isTab: Bool { if case .pay = purpose { true } else { false } }

  /// Forgets the passwords that were typed.
  func clearSecrets() {
    for (index, field) in fields.enumerated().reversed() where field.isSecret {
      field.clear()
      focus = index
    }
  }

  /// What submitting does, or nil when something is missing, which ``problem`` then says.
  func submit() -> AppAction? {
    problem = nil
    let texts = fields.map(\.text)
    if let empty = texts.firstIndex(where: \.isEmpty) {
      focus = empty
      return refuse("missing", "\(fields[empty].label) is empty.", "Fill it in, or press Esc.")
    }
    switch purpose {
    case .logIn: return .logIn(Credentials(username: texts[0], password: Password(texts[1])))
    case .register:
      guard texts[1] == texts[2] else { return refuseRepetition() }
      return .register(Credentials(username: texts[0], password: Password(texts[1])))
    case .reauthenticate: return .reauthenticate(Password(texts[0]))
    case .secondStep: return .answer(Password(texts[0]))
    case .pay(let number, _):
      do throws(BackendError) {
        focus = 0
        let payee = try Username(texts[0])
        focus = 1
        return .pay(amount: try Amount(texts[1]), payee: payee, number: number)
      } catch {
        problem = CommandError(error)
        return nil
      }
    case .rename: return .rename(texts[0])
    case .changePassword:
      guard texts[1] == texts[2] else { return refuseRepetition() }
      return .changePassword(present: Password(texts[0]), new: Password(texts[1]))
    case .createAccount: return .administer(.create(texts[0]))
    case .deleteAccount(let name):
      if texts[0] == name { return .administer(.delete(name)) }
      return refuse(
        "not_confirmed", "Nothing was deleted: that is not the name of the account.",
        "Type \(name), or press Esc.")
    }
  }

  private func refuse(_ code: String, _ message: String, _ hint: String) -> AppAction? {
    problem = CommandError(.no, code, message, hint: hint)
    return nil
  }

  private func refuseRepetition() -> AppAction? {
    for index in 1...2 { fields[index].clear() }
    focus = 1
    return refuse("passwords_differ", "The two passwords differ.", "Type both again.")
  }
}
