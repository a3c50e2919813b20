import AuthBackend
import AuthCore
import CommandLineKit
import Glibc

/// All that the screen shows, as a value.
struct AppState: Sendable {
  /// The context, where it is not the default one.
  let context: String?
  var columns: Int
  var rows: Int
  /// The button of the navigation bar: it says who is logged in.
  var button = NavigationBar.Button.logIn
  /// Whether it is known yet if somebody is logged in.
  var isRestored = false
  var tab = AppTab.home
  /// What the tabs have loaded, each at its number.
  private var views = AppTab.allCases.map { _ in AppView() }
  /// The menu of a row of the open tab.
  var menu: AppPosition?
  var filter = ""
  var isFiltering = false
  var form: AppForm?
  /// The payment that was being typed when another tab was opened.
  var draft: AppForm?
  var question: AppQuestion?
  /// A code that is shown once.
  var code: OneTimeCode?
  var notice: AppNotice?
  /// The notice of why the last look found nothing out.
  var lookNotice: AppNotice?
  var isHelpShown = false
  var work: AppProgress?
  /// Whether the program ends when the work is done.
  var isQuitting = false
  /// How many payments were begun.
  var payments = 0

  init(columns: Int, rows: Int, context: String? = nil) {
    self.context = context
    self.columns = columns
    self.rows = rows
  }

  subscript(tab: AppTab) -> AppView {
    get { views[tab.rawValue] }
    set { views[tab.rawValue] = newValue }
  }

  /// Who is logged in.
  var user: User? {
    switch button {
    case .logOut(let user): user
    case .logIn: nil
    }
  }

  var tabs: [AppTab] { AppTab.all(for: user) }

  /// Whether keys are text, so that none opens a tab.
  var isTyping: Bool { form != nil || isFiltering }

  /// The row of the open tab whose menu is open.
  var menuRow: AppPage.Row? {
    guard let menu else { return nil }
    return self[tab].page?.rows.first { $0.id == menu.menuOf && $0.menu != nil }
  }

  /// What is open: the tab, or the menu of one of its rows; nil while it is loading.
  var page: AppPage? {
    if let menu = menuRow?.menu { return AppPage(lines: menu.lines, rows: menu.rows) }
    return tab == .home ? homePage : self[tab].page
  }

  /// The rows that the filter leaves.
  var rowsShown: [AppPage.Row] {
    guard let rows = page?.rows else { return [] }
    guard !filter.isEmpty, menuRow == nil else { return rows }
    let wanted = filter.lowercased()
    // The search of the library would link the engine of regular expressions.
    return rows.filter { row in row.cells.contains { strstr($0.lowercased(), wanted) != nil } }
  }

  /// Which of them is selected.
  var selected: Int? { selected(in: rowsShown) }

  /// Which of these rows, the ones that are shown, is selected.
  func selected(in rows: [AppPage.Row]) -> Int? {
    guard !rows.isEmpty else { return nil }
    let position = position
    // What can be done changes when it was done: of a menu, the next line is never meant.
    return rows.firstIndex { $0.id == position.id } ?? (menuRow == nil ? min(position.index, rows.count - 1) : 0)
  }

  /// The selection of what is open.
  var position: AppPosition {
    get { menuRow == nil ? self[tab].position : menu ?? AppPosition() }
    set {
      if menuRow == nil { self[tab].position = newValue } else { menu = newValue }
    }
  }

  /// Home is for everybody, and needs nothing to be loaded.
  private var homePage: AppPage {
    guard isRestored else { return AppPage(lines: ["Looking for your session…"]) }
    guard let user else {
      return AppPage(
        lines: ["Welcome. Nobody is logged in.", ""],
        rows: AppPage.rows([
          ("Log in", .fill(.logIn(then: .home))), ("Create an account", .fill(.register)),
          ("See how a session works", .open(.machine)), ("Quit", .quit),
        ]))
    }
    return AppPage(
      lines: ["Welcome, \(user.displayName).", ""],
      rows: AppPage.rows([
        ("Pay somebody", .open(.pay)), ("See your receipts", .open(.receipts)),
        ("See where you are logged in", .open(.sessions)), ("Change your name", .fill(.rename(user.displayName))),
        ("Change your password", .fill(.changePassword)), ("See how your session works", .open(.machine)),
        ("Log out", .ask(.logOut)), ("Quit", .quit),
      ]))
  }
}

/// What a tab has loaded, and what is selected in it.
struct AppView: Sendable {
  var page: AppPage?
  var position = AppPosition()
}

/// What the screen says by itself.
struct AppNotice: Equatable, Sendable {
  let text: String
  let style: CellStyle
}

/// What is going on in the background.
struct AppProgress: Sendable {
  let action: AppAction
  /// Whole seconds since it began.
  var seconds = 0
}

/// The selected row of a list: its place, and what names it when the list is loaded again.
struct AppPosition: Sendable {
  /// The row whose menu the list is, if it is one.
  var menuOf: String?
  var index = 0
  var id: String?
}
