import CommandLineKit

/// What a tab has loaded: some lines, and rows of which one is selected.
struct AppPage: Sendable {
  /// A row of the list.
  struct Row: Sendable {
    /// Names what the row shows, so that the selection stays with it when the list changes.
    let id: String
    let cells: [String]
    /// What Enter does with it.
    var action: AppChoice?
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
  /// Values over time, the earliest first; drawn as a line.
  var trend: [Int64] = []
  /// The session machine, on its tab.
  var machine: MachineView?
}

/// What a person can choose to do, with Enter on a row or by a key.
enum AppChoice: Equatable, Sendable {
  /// What the bar of keys says that Enter does.
  var label: String {
    switch self {
    case .open: "open"
    case .logIn: "log in"
    case .logOut: "log out"
    case .register: "create it"
    case .rename, .changePassword: "change"
    case .quit: "quit"
    case .ask(let question): question.label
    case .pay: "pay again"
    }
  }

  case open(AppTab)
  case logIn, logOut, register, rename, changePassword, quit
  /// Asks first whether to do it.
  case ask(AppQuestion)
  /// Opens the form for a payment to this user.
  case pay(String)
}

/// A question, each answer of which is a key; Esc or `n` is none.
struct AppQuestion: Equatable, Sendable {
  /// A key, what it stands for, and what it does.
  struct Answer: Equatable, Sendable {
    let key: Unicode.Scalar
    let label: String
    let action: AppAction
  }

  let text: String
  /// What the bar of keys calls it before it is asked.
  let label: String
  let answers: [Answer]

  init(text: String, label: String, answers: [Answer]) {
    (self.text, self.label, self.answers) = (text, label, answers)
  }

  /// Whether to do it.
  init(text: String, label: String = "", action: AppAction) {
    self.init(text: text, label: label, answers: [Answer(key: "y", label: "yes", action: action)])
  }

  /// Whether to log out here.
  static var logOut: AppQuestion { AppQuestion(text: "Log out?", label: "log out", action: .logOut) }
}
