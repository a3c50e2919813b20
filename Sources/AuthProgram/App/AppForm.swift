import AuthBackend
import AuthCore
import CommandLineKit

/// A form: some lines to fill in, of which one has the cursor.
struct AppForm: Sendable {
  /// What the form is for.
  enum Purpose: Equatable, Sendable {
    /// Log in, and then open the tab.
    case logIn(then: AppTab)
    case register
    /// Enter the password again, and then do this.
    indirect case reauthenticate(then: AppAction)
    case pay(number: Int)
    case rename, changePassword
  }

  /// A line of the form.
  struct Field: Sendable {
    let label: String
    var isSecret = false
    var input = AppInput()
  }

  let purpose: Purpose
  var fields: [Field]
  var focus = 0
  var problem: AppProblem?

  init(_ purpose: Purpose, _ fields: [Field], focus: Int = 0) {
    self.purpose = purpose
    self.fields = fields
    self.focus = focus
  }

  static func logIn(then tab: AppTab, username: String = "") -> AppForm {
    AppForm(
      .logIn(then: tab),
      [Field(label: "Username", input: AppInput(username)), Field(label: "Password", isSecret: true)],
      focus: username.isEmpty ? 0 : 1)
  }

  static var register: AppForm {
    AppForm(
      .register,
      [
        Field(label: "Username"), Field(label: "Password", isSecret: true),
        Field(label: "Repeat it", isSecret: true),
      ])
  }

  static func reauthenticate(then action: AppAction) -> AppForm {
    AppForm(.reauthenticate(then: action), [Field(label: "Password", isSecret: true)])
  }

  static func pay(to payee: String = "", number: Int) -> AppForm {
    AppForm(
      .pay(number: number), [Field(label: "To", input: AppInput(payee)), Field(label: "Amount")],
      focus: payee.isEmpty ? 0 : 1)
  }

  static func rename(_ name: String) -> AppForm {
    AppForm(.rename, [Field(label: "Name", input: AppInput(name))])
  }

  static var changePassword: AppForm {
    AppForm(
      .changePassword,
      [
        Field(label: "Present password", isSecret: true), Field(label: "New password", isSecret: true),
        Field(label: "Repeat it", isSecret: true),
      ])
  }

  /// What stands above the fields.
  var title: String {
    switch purpose {
    case .logIn(.home): "Log in"
    case .logIn(let tab): "Log in to open \(tab.title)"
    case .register: "Create an account"
    case .reauthenticate: "Enter your password again to go on"
    case .pay: "Pay somebody"
    case .rename: "Change your name"
    case .changePassword: "Change your password"
    }
  }

  /// What Enter does in the last line.
  var verb: String {
    switch purpose {
    case .logIn: "log in"
    case .register: "create it"
    case .reauthenticate: "go on"
    case .pay: "pay"
    case .rename, .changePassword: "save"
    }
  }

  /// Whether it fills a tab, so that the keys that change tabs work in it.
  var isTab: Bool {
    switch purpose {
    case .pay: true
    case .logIn, .register, .reauthenticate, .rename, .changePassword: false
    }
  }

  /// What a new password has to be, where one is asked for.
  var advice: String? {
    switch purpose {
    case .register, .changePassword: "A password has at least 15 characters. A few words are easy to remember."
    case .pay: "An amount is written like 12 or 12.50."
    case .logIn, .reauthenticate, .rename: nil
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
    case .pay(let number):
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
