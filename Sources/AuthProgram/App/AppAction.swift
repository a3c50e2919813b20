import AuthBackend
import AuthCore

/// Something that takes time and may be refused: one at a time.
indirect enum AppAction: Equatable, Sendable {
  case logIn(Credentials)
  case logOut
  case register(Credentials)
  case reauthenticate(Password)
  /// The code that is asked for after a password.
  case answer(Password)
  /// Go on without the code: nothing was done.
  case cancelAnswer
  /// The number tells payments apart: the same number is the same payment, however often it is
  /// sent.
  case pay(amount: Amount, payee: Username, number: Int)
  case rename(String)
  case changePassword(present: Password, new: Password)
  case revoke(SessionID)
  case administer(Administration)

  /// What is going on, while it is.
  var progress: String {
    switch self {
    case .logIn, .reauthenticate: "Checking the password"
    case .answer: "Checking the code"
    case .cancelAnswer: "Going back"
    case .logOut: "Logging out"
    case .register: "Creating the account"
    case .pay: "Paying"
    case .rename: "Changing the name"
    case .changePassword: "Changing the password"
    case .revoke: "Ending the session"
    case .administer: "Changing it"
    }
  }
}

/// Why something was not done.
struct AppProblem: Error, Equatable, Sendable {
  let code: String
  let message: String
  let hint: String

  init(code: String, message: String, hint: String) {
    (self.code, self.message, self.hint) = (code, message, hint)
  }

  /// Not inlined: it is in many places, and the executable is to stay small.
  @inline(never)
  init(_ refusal: CommandError) {
    self.init(code: refusal.code, message: refusal.message.asSentence, hint: refusal.hint)
  }
}

extension String {
  /// A clause as a sentence of its own.
  fileprivate var asSentence: String {
    guard let first, let last else { return self }
    return first.uppercased() + dropFirst() + (".!?".contains(last) ? "" : ".")
  }
}
