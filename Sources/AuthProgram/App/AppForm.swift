import AuthBackend
import AuthCore
import CommandLineKit

/// A form: some lines to fill in, of which one has the cursor.
struct AppForm: Sendable {
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

  /// A line of the form.
  struct Field: Sendable {
    let label: String
    var isSecret = false
    var input = AppInput()
  }

  let purpose: Purpose
  var fields: [Field]
  var focus: Int
  var problem: AppProblem?
  /// The form that this one covers, to come back to; none or one.
  var covered: [AppForm] = []

  init(_ purpose: Purpose) {
    self.purpose = purpose
    func secret(_ label: String) -> Field { Field(label: label, isSecret: true) }
    switch purpose {
    case .logIn(_, let name): fields = [Field(label: "Username", input: AppInput(name)), secret("Password")]
    case .register: fields = [Field(label: "Username"), secret("Password"), secret("Repeat it")]
    case .reauthenticate: fields = [secret("Password")]
    case .secondStep: fields = [secret("Code")]
    case .pay(_, let payee): fields = [Field(label: "To", input: AppInput(payee)), Field(label: "Amount")]
    case .rename(let name): fields = [Field(label: "Name", input: AppInput(name))]
    case .changePassword: fields = [secret("Present password"), secret("New password"), secret("Repeat it")]
    case .createAccount: fields = [Field(label: "Username")]
    case .deleteAccount: fields = [Field(label: "Its username")]
    }
    focus = fields.firstIndex { $0.input.text.isEmpty } ?? 0
  }

  /// What stands above the fields.
  var title: String {
    switch purpose {
    case .logIn(.home, _): "Log in"
    case .logIn(let tab, _): "Log in to open \(tab.title)"
    case .register: "Create an account"
    case .reauthenticate: "Enter your password again to go on"
    case .secondStep: "Enter a code of your authenticator app, or a recovery code"
    case .pay: "Pay somebody"
    case .rename: "Change your name"
    case .changePassword: "Change your password"
    case .createAccount: "Create an account for somebody else"
    case .deleteAccount(let name): "Delete the account \(name) for ever"
    }
  }

  /// What Enter does in the last line.
  var verb: String {
    switch purpose {
    case .logIn: "log in"
    case .register, .createAccount: "create it"
    case .reauthenticate, .secondStep: "go on"
    case .pay: "pay"
    case .rename, .changePassword: "save"
    case .deleteAccount: "delete it"
    }
  }

  /// Whether it fills a tab, so that the keys that change tabs work in it.
  var isTab: Bool {
    switch purpose {
    case .pay: true
    case .logIn, .register, .reauthenticate, .secondStep, .rename, .changePassword, .createAccount, .deleteAccount:
      false
    }
  }

  /// What to know before it is filled in.
  var advice: String {
    switch purpose {
    case .register, .changePassword: "A password has at least 15 characters. A few words are easy to remember."
    case .pay: "An amount is written like 12 or 12.50."
    case .createAccount: "You get a one-time code, with which the new user sets a password."
    case .deleteAccount:
      "Type its name to go on. Its balance must be 0.00. Its payments stay, and the name is never given again."
    case .logIn, .reauthenticate, .secondStep, .rename: ""
    }
  }

  /// Forgets the passwords that were typed.
  mutating func clearSecrets() {
    for index in fields.indices where fields[index].isSecret { fields[index].input = AppInput() }
    focus = fields.firstIndex(where: \.isSecret) ?? focus
  }

  /// What submitting does, or nil when something is missing, which ``problem`` then says.
  mutating func submit() -> AppAction? {
    problem = nil
    let texts = fields.map(\.input.text)
    if let empty = texts.firstIndex(of: "") {
      focus = empty
      problem = AppProblem(
        code: "missing", message: "\(fields[empty].label) is empty.", hint: "Fill it in, or press Esc.")
      return nil
    }
    switch purpose {
    case .logIn: return .logIn(Credentials(username: texts[0], password: Password(texts[1])))
    case .register:
      guard isRepeated(1, 2) else { return nil }
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
        problem = AppProblem(CommandError(error))
        return nil
      }
    case .rename: return .rename(texts[0])
    case .changePassword:
      guard isRepeated(1, 2) else { return nil }
      return .changePassword(present: Password(texts[0]), new: Password(texts[1]))
    case .createAccount: return .administer(.create(texts[0]))
    case .deleteAccount(let name):
      if texts[0] == name { return .administer(.delete(name)) }
      problem = AppProblem(
        code: "not_confirmed", message: "Nothing was deleted: that is not the name of the account.",
        hint: "Type \(name), or press Esc.")
      return nil
    }
  }

  private mutating func isRepeated(_ first: Int, _ second: Int) -> Bool {
    guard fields[first].input.text != fields[second].input.text else { return true }
    problem = AppProblem(
      code: "passwords_differ", message: "The two passwords differ.", hint: "Type both again.")
    for index in [first, second] { fields[index].input = AppInput() }
    focus = first
    return false
  }
}
