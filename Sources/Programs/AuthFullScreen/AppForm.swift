import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit

/// An open form: its fields, the one with the cursor, and the problem of the last attempt.
package final class AppForm {
  /// The purpose of a form, with the values that it starts with.
  package indirect enum Purpose: Equatable, Sendable {
    /// Log in, and then open the tab.
    case logIn(then: AppTab, username: String = "")
    case register
    /// Enter the password again, and then perform the action.
    case reauthenticate(then: AppAction)
    /// Enter the code that is needed after the password of this action.
    case secondStep(of: AppAction)
    case pay(number: Int, payee: String, amount: String)
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
  /// The error of the last attempt if there was one too many, the time until which the same input
  /// would be refused again, and the name in that attempt.
  private(set) var wait: (problem: CommandError, end: Duration, name: String)?
  /// Whether the last key was Escape, and a second one leaves the form although input is lost.
  var isLeaving = false
  /// Whether the code that is typed shows.
  var showsCode = false
  /// The form under this one, which opens again afterwards.
  let covered: AppForm?

  init(_ purpose: Purpose, covering covered: AppForm? = nil) {
    (self.purpose, self.covered) = (purpose, covered)
    plan = purpose.plan
    if !fields[0].isEmpty, fields.count > 1 { focus = 1 }
  }

  var fields: [AppInput] { plan.fields }

  fileprivate var credentials: Credentials { .password(username: fields[0].text, password: fields[1].password) }

  /// Whether it is the content of a tab; the keys that change tabs then work in it.
  var isTab: Bool { if case .pay = purpose { true } else { false } }

  /// Whether leaving it loses something that the user typed, such as the password before a code.
  var losesInput: Bool {
    if case .secondStep = purpose { return true }
    return fields.contains(where: \.isTyped)
  }

  /// Shows the error of an attempt.
  func show(_ problem: CommandError, at now: Duration) {
    self.problem = problem
    wait = problem.wait.map { (problem, now + $0, fields[0].text) }
  }

  /// Replaces the message about the last attempt after an edit; how long to wait still shows.
  func edited(_ mistake: CommandError?, at now: Duration) {
    let waiting = wait.flatMap { $0.end > now && $0.name == fields[0].text ? $0.problem : nil }
    problem = mistake ?? waiting
  }

  /// Whether a code is typed in it.
  var hasCode: Bool { fields.contains { $0.kind == .code } }

  var isLogin: Bool { if case .logIn = purpose { true } else { false } }

  /// Wipes the typed passwords.
  func clearSecrets() {
    for index in fields.indices.reversed() where fields[index].isSecret { clear(index) }
  }

  /// Wipes the secrets that must be typed again after this error, and moves the cursor to the first
  /// of them.
  ///
  /// After an error about a name it wipes nothing: the user only corrects the name.
  func clearSecrets(after problem: CommandError) {
    if problem.code.hasPrefix("username_") || problem.code.hasPrefix("payee_") {
      focus = 0
    } else if let last = fields.lastIndex(where: { $0.kind == .repetition }), problem.code.hasPrefix("password_") {
      clear(last)
      clear(last - 1)
    } else if let code = fields.firstIndex(where: { $0.kind == .code }) {
      clear(code)
    } else {
      clearSecrets()
    }
  }

  private func clear(_ index: Int) {
    fields[index].clear()
    focus = index
  }

  /// The action of the filled form; nil if an input is wrong or missing, which ``problem`` names.
  func submit() -> AppAction? {
    problem = mistake()
    if problem != nil { return nil }
    do throws(BackendError) { return try plan.action(self) } catch {
      problem = CommandError(error)
      return nil
    }
  }

  /// The first mistake in the fields, to which the cursor moves; nil for none.
  private func mistake() -> CommandError? {
    if let empty = fields.firstIndex(where: \.isEmpty) {
      focus = empty
      return .mistake("\(fields[empty].label) is empty.", hint: "Fill it in, or press Esc.")
    }
    for (index, field) in fields.enumerated() {
      switch field.kind {
      case .repetition where field.password != fields[index - 1].password:
        clear(index)
        clear(index - 1)
        return .mistake("The two passwords differ.", hint: "Type both again.")
      case .confirmation(let name) where field.text != name:
        return .mistake("Nothing was deleted: the name differs.", hint: "Type \(name), or press Esc.")
      case .amount where field.isAmbiguous:
        focus = index
        return .mistake(
          "\(field.text) may mean two amounts.", hint: "Write 1000 or 1000.00 for a thousand, and 1.50 for less.")
      case .text, .secret, .code, .amount, .repetition, .confirmation: break
      }
    }
    return nil
  }
}

extension CommandError {
  /// The error for an input that a form does not accept.
  static func mistake(_ message: String, code: String = "mistake", hint: Hint = "") -> CommandError {
    CommandError(.no, code, message, hint: hint)
  }
}

/// The secret for an authenticator app, as a form shows it.
package struct AppSecret: Equatable, Sendable, Redacted {
  let text: String
  /// The lines of a QR code; empty if there is none.
  let picture: [String]
  /// Why there is no QR code; empty if there is one.
  let note: String

  package init(text: String, picture: [String], note: String = "") {
    (self.text, self.picture, self.note) = (text, picture, note)
  }
}

/// The declaration of a form: its title and advice, its fields and its action.
struct AppFormPlan {
  /// The names that complete what is typed in the first field.
  enum Names { case none, users, payees }

  let title: String
  let fields: [AppInput]
  /// The label of the Enter key in the last field, such as "pay".
  let verb: String
  var advice = ""
  var names = Names.none
  /// Whether it stays open when the session ends.
  var isForAnybody = false
  /// A secret that it shows, which the user may copy.
  var secret: String?
  /// A QR code, where there is room for it.
  var picture: [String] = []
  var pictureWidth: Int { picture.first.map { DisplayWidth.columns($0) } ?? 0 }
  let action: (AppForm) throws(BackendError) -> AppAction
}

extension AppForm.Purpose {
  private static let newPassword = "A password has at least 15 characters. A few words are easy to remember."
  var plan: AppFormPlan {
    switch self {
    case .logIn(let tab, let name):
      AppFormPlan(
        title: tab == .home || !tab.isGuarded ? "Log in" : "Log in to open \(tab.title)",
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
        title: "Enter a code of your authenticator app, or a recovery code", fields: [.init("Code", .code)],
        verb: "go on", isForAnybody: action.traits.mayEndSession
      ) { .answer($0.fields[0].password) }
    case .pay(let number, let payee, let amount):
      AppFormPlan(
        title: "Pay somebody", fields: [.init("To", .text(payee)), .init("Amount", .amount(amount))], verb: "pay",
        names: .payees
      ) { (form) throws(BackendError) in
        form.focus = 0
        let payee = try Username(form.fields[0].text)
        form.focus = 1
        return .pay(amount: try Amount(form.fields[1].amount), payee: payee, number: number)
      }
    case .rename(let name):
      AppFormPlan(title: "Change your name", fields: [.init("Name", .text(name))], verb: "save") {
        .rename($0.fields[0].text)
      }
    case .changePassword:
      AppFormPlan(
        title: "Change your password",
        fields: [.init("Current password", .secret), .init("New password", .secret), .init("Repeat it", .repetition)],
        verb: "save", advice: Self.newPassword
      ) { .changePassword(present: $0.fields[0].password, new: $0.fields[1].password) }
    case .recover(let name):
      AppFormPlan(
        title: "Set a new password with a code",
        fields: [
          .init("Username", .text(name)), .init("Code", .code), .init("New password", .secret),
          .init("Repeat it", .repetition),
        ], verb: "set it",
        advice: "A recovery code, or a one-time code from an administrator. " + Self.newPassword, names: .users,
        isForAnybody: true
      ) { .recover(username: $0.fields[0].text, code: $0.fields[1].password, new: $0.fields[2].password) }
    case .confirmTwoStep(let secret):
      AppFormPlan(
        title: "Enter this secret in an authenticator app, then its code here", fields: [.init("Code", .code)],
        verb: "turn it on",
        advice: "Secret: \(secret.text)" + (secret.note.isEmpty ? "" : "\n\(secret.note)"),
        secret: secret.text, picture: secret.picture
      ) { .change(.confirmTwoStep($0.fields[0].password)) }
    case .endTwoStep:
      AppFormPlan(
        title: "Turn the second step off", fields: [.init("Code", .code)], verb: "turn it off",
        advice: "Use a code of your authenticator app, or a recovery code."
      ) { .change(.endTwoStep($0.fields[0].password)) }
    case .createAccount:
      AppFormPlan(
        title: "Create an account for another person", fields: [.init("Username")], verb: "create it",
        advice: "You get a one-time code, with which the new user sets a password."
      ) { .administer(.create($0.fields[0].text)) }
    case .deleteAccount(let name, let isOwn):
      AppFormPlan(
        title: isOwn ? "Delete your account permanently" : "Delete the account \(name) permanently",
        fields: [.init(isOwn ? "Your username" : "Its username", .confirmation(of: name))], verb: "delete it",
        advice: """
          Type the name to go on. The balance must be 0.00, or the account unused. Payments stay, and the name cannot \
          be used again.
          """
      ) { _ in isOwn ? .change(.deleteAccount) : .administer(.delete(name)) }
    }
  }
}
