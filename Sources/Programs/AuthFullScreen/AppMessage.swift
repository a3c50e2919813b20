package import AuthAccounts
package import AuthCore
package import AuthDevice
import AuthMessages
package import CommandLineKit

/// An input of the full-screen program: a key, or the result of work.
package indirect enum AppMessage: Sendable {
  case key(Key)
  case resized(columns: Int, rows: Int)
  /// The navigation bar has this button now.
  case button(NavigationBar.Button)
  /// The session ended; the sentence says why.
  case dismissed(String)
  case loaded(AppTab, Result<AppPage, CommandError>)
  /// An action ended, with this result.
  case finished(AppAction, Result<AppResult, CommandError>)
  /// A check of the session ended: the reason if it failed, whether there are no accounts, and
  /// whether it is known now who is logged in.
  case checked(CommandError?, isEmpty: Bool = false, isKnown: Bool = true)
  /// A login at the identity provider ended, to confirm the session or to begin one.
  case authenticated(Result<Credentials, CommandError>, isConfirming: Bool)
  /// The time until the session expires, nil if it does not; and whether activity prolongs it.
  case ends(in: Duration?, isIdle: Bool)
  /// The codes of the page were written to the file with this path, or the reason why not.
  case written(Result<String, FileError>)
  /// Time passed, so texts that count down may change.
  case tick
}

/// An effect of an input, which the loop or a worker carries out.
enum AppEffect: Equatable, Sendable {
  /// Load these rows of the tab; this prolongs the session if it is the user's activity.
  case load(AppTab, isActivity: Bool, AppQuery = AppQuery())
  /// Check the session, to find out who is logged in.
  case check
  case perform(AppAction)
  /// Prolong the session, because the user pressed a key.
  case renew
  /// Ask the terminal to copy the text to the clipboard.
  case copy(String)
  /// Ask the terminal to copy the secret that the screen shows.
  case copySecret
  /// Write the codes that the page shows to a new file that only the user can read.
  case writeCodes
  /// Leave the screen until the user has logged in at the identity provider, to begin a session or
  /// to confirm one.
  case authenticate(isConfirming: Bool)
  case quit
}

/// The result of an action, and what opens next: a page that shows once, a form or a question.
package struct AppResult: Sendable {
  /// What was done, as a sentence.
  package var done: String
  var page: AppInterruption?
  var form: AppForm.Purpose?
  var question: AppQuestion?

  package init(
    done: String, page: AppInterruption? = nil, form: AppForm.Purpose? = nil, question: AppQuestion? = nil
  ) {
    (self.done, self.page, self.form, self.question) = (done, page, form, question)
  }
}

/// An action of the user, which takes time and can fail; only one runs at a time.
package indirect enum AppAction: Equatable, Sendable {
  case logIn(Credentials)
  /// Log out this user, whom the user of the program saw; no other one.
  case logOut(User)
  case register(Credentials)
  case reauthenticate(Secret)
  /// Renew the session with a new login at the identity provider.
  case confirm(Credentials)
  /// Get a new access token.
  case renewAccess
  /// Send the code that is needed after a password.
  case answer(Secret)
  /// Cancel the login or the action that waits for a code.
  case cancelAnswer
  /// Pay once, even if sent repeatedly with the same payee, amount and number.
  case pay(amount: Amount, payee: Username, number: Int)
  case rename(String)
  case changePassword(present: Secret, new: Secret)
  /// Set a new password with a code.
  case recover(username: String, code: Secret, new: Secret)
  case change(OwnChange)
  case administer(Administration)

  /// The message while the action runs, and whether the action logs in or out.
  package var traits: (progress: String, mayEndSession: Bool) {
    switch self {
    case .logIn(.password): ("Checking the password", true)
    case .logIn(.code), .logIn(.token): ("Logging in", true)
    case .logOut: ("Logging out", true)
    case .answer: ("Checking the code", true)
    case .register: ("Creating the account", false)
    case .recover, .changePassword: ("Changing the password", false)
    case .reauthenticate: ("Checking the password", false)
    case .confirm: ("Confirming the login", false)
    case .renewAccess: ("Renewing the access token", false)
    case .cancelAnswer: ("Going back", false)
    case .pay: ("Paying", false)
    case .rename: ("Changing the name", false)
    case .change(let change): (change.progress, false)
    case .administer: ("Changing it", false)
    }
  }
}

extension CommandError {
  /// The code of the backend's refusal; nil for another error.
  var refusal: BackendError.Code? { BackendError.Code.named(code) }

  /// The same error, with a hint for this screen if its own hint names a command.
  func onScreen(isLoggedIn: Bool) -> CommandError {
    switch code {
    case BackendError.Code.twoStepRequired.rawValue: withHint("Set one up on Home.")
    case ErrorCode.ownStepMissing.code: withHint("Set yours up in the Profile tab first.")
    case BackendError.FailureCode.databaseMissing.rawValue:
      withHint(
        isLoggedIn
          ? "Put a backup in its place, or log out and create an account on Home."
          : "Create the first account on Home, to which Esc goes; or put a backup in its place.")
    case BackendError.FailureCode.outcomeUnknown.rawValue:
      withHint(
        "Check whether it was made before you repeat it. Enter sends the same payment again, which never pays twice.")
    case ErrorCode.locked.code:
      withHint("Press Ctrl-R in the login to use a recovery code, or ask an administrator to unlock the account.")
    case _: self
    }
  }
}
