import CommandLineKit

/// The loaded content of a tab: lines, and below them a list of rows.
struct AppPage: Sendable {
  /// The lines above the list.
  var lines: [String] = []
  var columns: [Table.Column] = []
  var rows: [AppRow] = []
  /// What the rows are where there are more than are loaded, such as "the newest 500".
  var part: String?
  /// How many rows were loaded, of which there may be more.
  var loaded = 0
  /// The query that loaded the rows.
  var query = AppQuery()
  /// What the user has, on the tab that pays.
  var balance: Int64?
  /// Whom the user paid, or was paid by, the latest first; on the tab that pays.
  var names: [String] = []
  /// Which lines above the list say when something was, and when: in seconds since 1970.
  var moments: [Int: Int64] = [:]
  /// In place of the rows where there are none.
  var empty = ""
  var chart: Chart?
  /// The session machine, on its tab.
  var machine: MachineView?
}

/// A row of a list.
struct AppRow: Sendable {
  /// Names what the row shows, so that the selection stays with it when the list changes.
  let id: String
  /// A cell for each column, or one that spans them all.
  let cells: [String]
  /// What Enter does with it.
  var choice: AppChoice?
  /// What Enter opens: details, and what can be done with it.
  var menu: AppPage?
  /// What letters do with it.
  var letters: [AppLetter] = []
}

extension AppRow {
  /// A row of a table: Enter shows all of it, and what letters do; one copies what names it.
  ///
  /// The moments are those of the columns with these titles, in seconds since 1970.
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

  /// Something that can be chosen, in words.
  init(_ words: String, _ choice: AppChoice) {
    self.init(id: words, cells: [words], choice: choice)
  }
}

/// A letter that does something with the selected row.
struct AppLetter: Sendable {
  let key: Unicode.Scalar
  let label: String
  let choice: AppChoice

  /// Puts what names the row into the clipboard.
  static func copying(_ text: String, called name: String? = nil) -> AppLetter {
    AppLetter(key: "y", label: "copy \(name ?? text)", choice: .copy(text))
  }

  /// The label as a line of its own.
  var sentence: String { label.prefix(1).uppercased() + label.dropFirst() }
}

/// What a person can choose to do, with Enter on a row or by a key.
indirect enum AppChoice: Equatable, Sendable {
  case open(AppTab)
  case fill(AppForm.Purpose)
  /// Asks first whether to do it.
  case ask(AppQuestion)
  case perform(AppAction)
  /// Opens the form for a payment to this user, of so much.
  case pay(String, amount: String)
  /// Puts the text into the clipboard of the terminal.
  case copy(String)
  /// Leaves the screen to log in at the identity provider, with the prompts of the `login` command.
  case authenticate
  case quit

  /// What the bar of keys says about Enter.
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

/// A question whether to do something.
struct AppQuestion: Equatable, Sendable {
  let text: String
  let action: AppAction
  /// What it takes from the balance.
  var cost: Int64?

  /// Whether to log out here.
  static var logOut: AppQuestion { AppQuestion(text: "Log out?", action: .logOut) }
}
