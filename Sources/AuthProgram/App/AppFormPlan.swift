import AuthBackend
import AuthCore

/// The declaration of a form: its words, its fields, and the action that it begins.
struct AppFormPlan {
  /// The names that complete what is typed in the first field.
  enum Names { case none, users, payees }

  let title: String
  let fields: [AppInput]
  /// What Enter does in the last field.
  let verb: String
  var advice = ""
  var names = Names.none
  /// Whether it stays open when the session ends.
  var isForAnybody = false
  /// A QR code, where there is room for it.
  var picture: [String] = []
  let action: (AppForm) throws(BackendError) -> AppAction
}

extension AppForm.Purpose {
  private static let newPassword = "A password has at least 15 characters. A few words are easy to remember."
  var plan: AppFormPlan {
    switch self {
    case .logIn(let tab, let name):
      AppFormPlan(
        title: tab == .home ? "Log in" : "Log in to open \(tab.title)",
        fields: [.init("Username", .text(name)), .init("Password", .secret)], verb: "log in", names: .users,
        isForAnybody: true
      ) { .logIn($0.credentials) }
    case .register:
      AppFormPlan(
        title: "Create an account",
        fields: [.init("Username"), .init("Password", .secret), .init("Repeat it", .repetition)], verb: "create it",
        advice: Self.newPassword, isForAnybody: true
      ) { .register($0.credentials) }
    case .reauthenticate:
      AppFormPlan(title: "Enter your password again to go on", fields: [.init("Password", .secret)], verb: "go on") {
        .reauthenticate($0.fields[0].password)
      }
    case .secondStep(let action):
      AppFormPlan(
        title: "Enter a code of your authenticator app, or a recovery code", fields: [.init("Code", .secret)],
        verb: "go on", isForAnybody: action.isLogin
      ) { .answer($0.fields[0].password) }
    case .pay(let number, let payee):
      AppFormPlan(
        title: "Pay somebody", fields: [.init("To", .text(payee)), .init("Amount")], verb: "pay", names: .payees
      ) { (form) throws(BackendError) in
        form.focus = 0
        let payee = try Username(form.fields[0].text)
        form.focus = 1
        return .pay(amount: try Amount(form.fields[1].text), payee: payee, number: number)
      }
    case .rename(let name):
      AppFormPlan(title: "Change your name", fields: [.init("Name", .text(name))], verb: "save") {
        .rename($0.fields[0].text)
      }
    case .changePassword:
      AppFormPlan(
        title: "Change your password",
        fields: [.init("Present password", .secret), .init("New password", .secret), .init("Repeat it", .repetition)],
        verb: "save", advice: Self.newPassword
      ) { .changePassword(present: $0.fields[0].password, new: $0.fields[1].password) }
    case .recover(let name):
      AppFormPlan(
        title: "Set a new password with a code",
        fields: [
          .init("Username", .text(name)), .init("Code", .secret), .init("New password", .secret),
          .init("Repeat it", .repetition),
        ], verb: "set it",
        advice: "A recovery code, or a one-time code from an administrator. " + Self.newPassword, names: .users,
        isForAnybody: true
      ) { .recover(username: $0.fields[0].text, code: $0.fields[1].password, new: $0.fields[2].password) }
    case .confirmTwoStep(let secret):
      AppFormPlan(
        title: "Enter this secret in an authenticator app, then its code here", fields: [.init("Code", .secret)],
        verb: "turn it on",
        advice: "Secret: \(secret.text)" + (secret.picture.isEmpty ? "\n\(QRCode.missing)" : ""),
        picture: secret.picture
      ) { .change(.confirmTwoStep($0.fields[0].password)) }
    case .endTwoStep:
      AppFormPlan(
        title: "Turn the second step off", fields: [.init("Code", .secret)], verb: "turn it off",
        advice: "Use a code of your authenticator app, or a recovery code."
      ) { .change(.endTwoStep($0.fields[0].password)) }
    case .createAccount:
      AppFormPlan(
        title: "Create an account for another person", fields: [.init("Username")], verb: "create it",
        advice: "You get a one-time code, with which the new user sets a password."
      ) { .administer(.create($0.fields[0].text)) }
    case .deleteAccount(let name, let isOwn):
      AppFormPlan(
        title: isOwn ? "Delete your account for ever" : "Delete the account \(name) for ever",
        fields: [.init(isOwn ? "Your username" : "Its username", .confirmation(of: name))], verb: "delete it",
        advice: "Type the name to go on. The balance must be 0.00. Payments stay, and the name is never used again."
      ) { _ in isOwn ? .change(.deleteAccount) : .administer(.delete(name)) }
    }
  }
}

extension AppForm {
  fileprivate var credentials: Credentials {
    Credentials.password(username: fields[0].text, password: fields[1].password)
  }
}

extension AppAction {
  fileprivate var isLogin: Bool { if case .logIn = self { true } else { false } }
}
