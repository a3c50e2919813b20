import AuthBackend
import CommandLineKit

/// What a tab has loaded: some lines, and rows of which one is selected.
struct AppPage: Sendable {
  /// A row of the list.
  struct Row: Sendable {
    /// Names what the row shows, so that the selection stays with it when the list changes.
    let id: String
    /// A cell for each column, or one that spans them all.
    let cells: [String]
    /// What Enter does with it.
    var choice: AppChoice?
    /// What Enter offers to do with it.
    var menu: Menu?
  }

  /// Rows for what can be chosen, each with its words.
  static func rows(_ choices: [(words: String, choice: AppChoice)]) -> [Row] {
    choices.map { Row(id: $0.words, cells: [$0.words], choice: $0.choice) }
  }

  /// What can be done with a row.
  struct Menu: Sendable {
    let lines: [String]
    let rows: [Row]
  }

  /// Above the list.
  var lines: [String] = []
  var columns: [Table.Column] = []
  var rows: [Row] = []
  /// How wide the columns of all rows are where nothing is cut off; empty where that is found out
  /// when they are drawn.
  var widths: [Int] = []
  /// What the rows are where there are more than are loaded, such as "the newest 500".
  var part: String?
  /// In place of the rows where there are none.
  var empty = ""
  var chart = Chart()
  /// The session machine, on its tab.
  var machine: MachineView?
}

/// What a person can choose to do, with Enter on a row or by a key.
indirect enum AppChoice: Equatable, Sendable {
  case open(AppTab)
  case fill(AppForm.Purpose)
  /// Asks first whether to do it.
  case ask(AppQuestion)
  case perform(AppAction)
  /// Opens the form for a payment to this user.
  case pay(String)
  case quit

  /// What the bar of keys says that Enter does.
  var label: String {
    switch self {
    case .open: "open"
    case .fill(let purpose):
      switch purpose {
      case .logIn: "log in"
      case .register, .createAccount: "create it"
      case .reauthenticate, .secondStep, .pay: "open"
      case .rename, .changePassword: "change"
      case .deleteAccount: "delete it"
      }
    case .ask(let question): question.label
    case .perform: "do it"
    case .pay: "pay again"
    case .quit: "quit"
    }
  }
}

/// A question whether to do something.
struct AppQuestion: Equatable, Sendable {
  let text: String
  /// What the bar of keys calls it before it is asked.
  var label = "do it"
  let action: AppAction

  /// Whether to log out here.
  static var logOut: AppQuestion { AppQuestion(text: "Log out?", label: "log out", action: .logOut) }
}
