import AuthBackend
import CommandLineKit

/// What a tab has loaded: some lines, and rows of which one is selected.
final class AppPage: Sendable {
  /// Above the list.
  let lines: [String]
  let columns: [Table.Column]
  let rows: [AppRow]
  /// How wide the columns of all rows are where nothing is cut off.
  let widths: [Int]
  /// What the rows are where there are more than are loaded, such as "the newest 500".
  let part: String?
  /// In place of the rows where there are none.
  let empty: String
  let chart: Chart?
  /// The session machine, on its tab.
  let machine: MachineView?

  init(
    lines: [String] = [], columns: [Table.Column] = [], rows: [AppRow] = [], part: String? = nil, empty: String = "",
    chart: Chart? = nil, machine: MachineView? = nil
  ) {
    self.lines = lines
    self.columns = columns
    self.rows = rows
    self.part = part
    self.empty = empty
    self.chart = chart
    self.machine = machine
    widths = AppColumns.naturalWidths(columns, rows)
  }
}

/// A row of a list.
final class AppRow: Sendable {
  /// Names what the row shows, so that the selection stays with it when the list changes.
  let id: String
  /// A cell for each column, or one that spans them all.
  let cells: [String]
  /// What Enter does with it.
  let choice: AppChoice?
  /// What Enter offers to do with it.
  let menu: AppPage?

  init(id: String, cells: [String], choice: AppChoice? = nil, menu: AppPage? = nil) {
    self.id = id
    self.cells = cells
    self.choice = choice
    self.menu = menu
  }

  /// Something that can be chosen, in words.
  convenience init(_ words: String, _ choice: AppChoice) {
    self.init(id: words, cells: [words], choice: choice)
  }
}

/// What a person can choose to do, with Enter on a row or by a key.
indirect enum AppChoice: Sendable {
  case open(AppTab)
  case fill(AppForm.Purpose)
  /// Asks first whether to do it.
  case ask(AppQuestion)
  case perform(AppAction)
  /// Opens the form for a payment to this user, of so much.
  case pay(String, amount: String)
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
final class AppQuestion: Sendable {
  let text: String
  /// What the bar of keys calls it before it is asked.
  let label: String
  let action: AppAction

  init(_ text: String, label: String = "do it", _ action: AppAction) {
    self.text = text
    self.label = label
    self.action = action
  }

  /// Whether to log out here.
  static var logOut: AppQuestion { AppQuestion("Log out?", label: "log out", .logOut) }
}
