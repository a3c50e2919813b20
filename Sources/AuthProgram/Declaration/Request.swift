import AuthBackend
import CommandLineKit

/// What a command line asks for, with everything it says.
///
/// One case for each command that does something.
enum Request: Hashable, Sendable {
  case register(user: String?, passwordFromInput: Bool)
  case logIn(user: String?, switching: Bool, idle: Duration?, absolute: Duration?, passwordFromInput: Bool)
  case logOut(everywhere: Bool)
  case status
  case reauthenticate(passwordFromInput: Bool)
  case home
  case pay(amount: Amount, payee: String, idempotencyKey: String?)
  case receipts(limit: Int, before: Int64?)
  case profile(newName: String?)
  case sessions
  case revokeSession(id: String)
  case changePassword(passwordsFromInput: Bool)
  case listAccounts(limit: Int, after: String?)
  case showAccount(user: String)
  case disableAccount(user: String)
  case enableAccount(user: String)
  case unlockAccount(user: String)
  case events(since: Moment?, limit: Int, before: Int64?)
  case watch(until: WatchEnd?)
  case machine(format: MachineFormat)
  case help(topic: [String])
  case manual
  case completions(shell: Shell)
}

/// When `watch` ends by itself.
enum WatchEnd: String, Choice {
  case loggedOut = "logged-out"

  var summary: String { "end as soon as nobody is logged in" }
}

/// A way to print the session machine.
enum MachineFormat: String, Choice {
  case text
  case mermaid
  case json

  var summary: String {
    switch self {
    case .text: "a table to read"
    case .mermaid: "a diagram for Mermaid"
    case .json: "every cell, for programs"
    }
  }
}
