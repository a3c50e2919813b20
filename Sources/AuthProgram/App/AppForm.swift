import AuthBackend
import AuthCore
import CommandLineKit

/// A form: some lines to fill in, of which one has the cursor.
final class AppForm {
  /// What the form is for.
  indirect enum Purpose: Sendable {
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
    /// Set a new password with a recovery code, or with the one-time code of an administrator.
    case recover(username: String = "")
    case confirmTwoStep(AppSecret)
    case endTwoStep
    case deleteOwnAccount(String)
  }

  let purpose: Purpose
  /// The text above the fields.
  let title: String
  let fields: [AppInput]
  /// What Enter does in the last line.
  let verb: String
  /// What to know before it is filled in.
  let advice: String
  /// A QR code, where there is room for it.
  let picture: [String]
  var focus = 0
  var problem: CommandError?
  /// Until when the same would be refused again.
  var waitEnd: Duration?
  /// The form that this one covers, to come back to.
  let covered: AppForm?

  init(_ purpose: Purpose, covering covered: AppForm? = nil) {
    self.purpose = purpose
    self.covered = covered
    let labels: [String]
    // What the first line begins as, and the first line that is secret.
    var text = ""
    var firstSecret = 3
    var advice = ""
    var picture: [String] = []
    let newPassword = "A password has at least 15 characters. A few words are easy to remember."
    switch purpose {
    case .logIn(let tab, let name):
      title = tab == .home ? "Log in" : "Log in to open \(tab.title)"
      (labels, firstSecret, text) = (["Username", "Password"], 1, name)
      verb = "log in"
    case .register:
      title = "Create an account"
      (labels, firstSecret) = (["Username", "Password", "Repeat it"], 1)
      (verb, advice) = ("create it", newPassword)
    case .reauthenticate:
      title = "Enter your password again to go on"
      (labels, firstSecret) = (["Password"], 0)
      verb = "go on"
    case .secondStep:
      title = "Enter a code of your authenticator app, or a recovery code"
      (labels, firstSecret) = (["Code"], 0)
      verb = "go on"
    case .pay(_, let payee):
      title = "Pay somebody"
      (labels, text) = (["To", "Amount"], payee)
      (verb, advice) = ("pay", "An amount is written like 12 or 12.50.")
    case .rename(let name):
      title = "Change your name"
      (labels, text) = (["Name"], name)
      verb = "save"
    case .changePassword:
      title = "Change your password"
      (labels, firstSecret) = (["Present password", "New password", "Repeat it"], 0)
      (verb, advice) = ("save", newPassword)
    case .createAccount:
      title = "Create an account for somebody else"
      labels = ["Username"]
      (verb, advice) = ("create it", "You get a one-time code, with which the new user sets a password.")
    case .deleteAccount(let name):
      title = "Delete the account \(name) for ever"
      labels = ["Its username"]
      verb = "delete it"
      advice =
        "Type its name to go on. Its balance must be 0.00. Its payments stay, and the name is never given again."
    case .recover(let name):
      title = "Set a new password with a code"
      (labels, firstSecret, text) = (["Username", "Code", "New password", "Repeat it"], 1, name)
      (verb, advice) = ("set it", "A recovery code, or a one-time code from an administrator. " + newPassword)
    case .confirmTwoStep(let secret):
      title = "Enter this secret in an authenticator app, then its code here"
      (labels, firstSecret, picture) = (["Code"], 0, secret.picture)
      (verb, advice) = ("turn it on", "Secret: \(secret.text)")
    case .endTwoStep:
      title = "Turn the second step off"
      (labels, firstSecret) = (["Code"], 0)
      (verb, advice) = ("turn it off", "A code of your authenticator app, or a recovery code.")
    case .deleteOwnAccount:
      title = "Delete your account for ever"
      labels = ["Your username"]
      verb = "delete it"
      advice =
        "Type your name to go on. Your balance must be 0.00. Your payments stay, and the name is never given again."
    }
    self.advice = advice
    self.picture = picture
    var fields: [AppInput] = []
    for label in labels {
      fields.append(AppInput(label, fields.isEmpty ? text : "", isSecret: fields.count >= firstSecret))
    }
    self.fields = fields
    if !text.isEmpty, fields.count > 1 { focus = 1 }
  }

  /// Whether it fills a tab, so that the keys that change tabs work in it.
  var isTab: Bool { if case .pay = purpose { true } else { false } }

  /// Forgets the passwords that were typed.
  func clearSecrets() {
    var index = fields.count
    while index > 0 {
      index -= 1
      if fields[index].isSecret {
        fields[index].clear()
        focus = index
      }
    }
  }

  /// What submitting does, or nil when something is missing, which ``problem`` then says.
  func submit() -> AppAction? {
    problem = nil
    if let empty = fields.firstIndex(where: \.isEmpty) {
      focus = empty
      return refuse("missing", "\(fields[empty].label) is empty.", "Fill it in, or press Esc.")
    }
    let first = fields[0].text
    let password = fields[min(1, fields.count - 1)].password
    let isRepeated = fields.count < 3 || fields[fields.count - 2].isLike(fields[fields.count - 1])
    switch purpose {
    case .logIn: return .logIn(Credentials(username: first, password: password))
    case .register:
      return isRepeated ? .register(Credentials(username: first, password: password)) : refuseRepetition()
    case .reauthenticate: return .reauthenticate(password)
    case .secondStep: return .answer(password)
    case .pay(let number, _):
      do throws(BackendError) {
        focus = 0
        let payee = try Username(first)
        focus = 1
        return .pay(amount: try Amount(fields[1].text), payee: payee, number: number)
      } catch {
        problem = CommandError(error)
        return nil
      }
    case .rename: return .rename(first)
    case .changePassword:
      return isRepeated ? .changePassword(present: fields[0].password, new: password) : refuseRepetition()
    case .recover:
      let code = fields[1].password
      return isRepeated ? .recover(username: first, code: code, new: fields[2].password) : refuseRepetition()
    case .confirmTwoStep: return .confirmTwoStep(password)
    case .endTwoStep: return .endTwoStep(password)
    case .deleteOwnAccount(let name):
      if first == name { return .deleteOwnAccount }
      return refuse("not_confirmed", "Nothing was deleted: that is not your name.", "Type \(name), or press Esc.")
    case .createAccount: return .administer(.create(first))
    case .deleteAccount(let name):
      if first == name { return .administer(.delete(name)) }
      return refuse(
        "not_confirmed", "Nothing was deleted: that is not the name of the account.",
        "Type \(name), or press Esc.")
    }
  }

  private func refuse(_ code: String, _ message: String, _ hint: String) -> AppAction? {
    problem = CommandError(.no, code, message, hint: Hint(hint))
    return nil
  }

  private func refuseRepetition() -> AppAction? {
    for field in fields.suffix(2) { field.clear() }
    focus = fields.count - 2
    return refuse("passwords_differ", "The two passwords differ.", "Type both again.")
  }
}
