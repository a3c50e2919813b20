import AuthCore
import CommandLineKit

/// The loaded content of a tab: lines, and below them a list of rows.
package struct AppPage: Sendable {
  /// The lines above the list.
  var lines: [String] = []
  var columns: [Table.Column] = []
  var rows: [AppRow] = []
  /// The description of the loaded rows if there are more, such as "the newest 500"; otherwise nil.
  var part: String?
  /// The number of loaded rows.
  var loaded = 0
  /// The query that loaded the rows.
  var query = AppQuery()
  /// The balance of the user, on the Pay tab.
  var balance: Int64?
  /// The users whom this user paid, or who paid this user, the newest first; on the Pay tab.
  var names: [String] = []
  /// The times in seconds since 1970 by line above the list; each line shows how long ago that was.
  var moments: [Int: Int64] = [:]
  /// The text in place of the rows if there are none.
  var empty = ""
  var chart: Chart?
  /// The session machine, on its tab.
  var machine: MachineView?

  /// A page without content.
  package static var blank: AppPage { AppPage() }
}

/// A row of a list.
struct AppRow: Sendable {
  /// The identity of the row, by which the selection follows it when the list changes.
  let id: String
  /// A cell for each column, or one that spans them all.
  let cells: [String]
  /// The choice of the Enter key.
  var choice: AppChoice?
  /// The page that Enter opens: details and choices.
  var menu: AppPage?
  /// The letter keys for the row.
  var letters: [AppLetter] = []
}

extension AppRow {
  /// Creates a row of a table: Enter opens its details and its letter keys; `y` copies its id.
  ///
  /// `moments` has the times, in seconds since 1970, of columns by their titles.
  init(
    id: String, _ cells: [String], of table: Table, moments: [String: Int64] = [:], letters: [AppLetter],
    copying copy: AppLetter? = nil
  ) {
    let letters = letters + [copy ?? .copying(id)]
    let width = table.columns.map { DisplayWidth.columns($0.heading) }.max() ?? 0
    let parts = zip(table.columns, cells).filter { !$1.isEmpty }
    let places = parts.enumerated().map { ($0, moments[$1.0.title]) }
    self.init(
      id: id, cells: cells,
      menu: AppPage(
        lines: parts.map { DisplayWidth.pad($0.heading, to: width) + "  " + $1 } + [""],
        rows: letters.map { AppRow(id: String($0.key), cells: [$0.sentence], choice: $0.choice) },
        moments: Dictionary(uniqueKeysWithValues: places).compactMapValues(\.self)),
      letters: letters)
  }

  /// Creates a row of one cell, with a choice for Enter.
  init(_ words: String, _ choice: AppChoice) {
    self.init(id: words, cells: [words], choice: choice)
  }
}

/// A letter key for the selected row, with its label and its choice.
struct AppLetter: Sendable {
  let key: Unicode.Scalar
  let label: String
  let choice: AppChoice

  /// The key that copies the name of the row to the clipboard.
  static func copying(_ text: String, called name: String? = nil) -> AppLetter {
    AppLetter(key: "y", label: "copy \(name ?? text)", choice: .copy(text))
  }

  /// The label as a line of its own.
  var sentence: String { label.prefix(1).uppercased() + label.dropFirst() }
}

/// A choice that the user makes with Enter on a row or with a letter key.
indirect enum AppChoice: Equatable, Sendable {
  case open(AppTab)
  case fill(AppForm.Purpose)
  /// Asks a question, and performs its action after a yes.
  case ask(AppQuestion)
  case perform(AppAction)
  /// Opens the form for a payment to this user, with this amount.
  case pay(String, amount: String)
  /// Copies the text to the clipboard of the terminal.
  case copy(String)
  /// Leaves the screen to log in at the identity provider, with the prompts of the `login` command.
  case authenticate
  case quit

  /// The label of the Enter key in the bottom bar.
  var label: String {
    switch self {
    case .open, .fill, .authenticate: "open"
    case .ask, .perform: "select"
    case .pay: "pay"
    case .copy: "copy"
    case .quit: "quit"
    }
  }
}

/// A question with yes and no, and the action for yes.
package struct AppQuestion: Equatable, Sendable {
  let text: String
  let action: AppAction
  /// The amount that the action takes from the balance.
  var cost: Int64?

  package init(text: String, action: AppAction, cost: Int64? = nil) {
    (self.text, self.action, self.cost) = (text, action, cost)
  }

  /// The question before the logout of a user.
  static func logOut(_ user: User) -> AppQuestion { AppQuestion(text: "Log out?", action: .logOut(user)) }
}
