import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import Glibc

/// All that the screen shows.
///
/// ``update(_:)`` changes it, and nothing else.
final class AppState {
  /// The context, where it is not the default one.
  let context: String?
  /// The identity provider of the context, if it is at one.
  let provider: String?
  var columns: Int
  var rows: Int
  /// The button of the navigation bar: it says who is logged in.
  var button = NavigationBar.Button.logIn
  /// Whether it is known yet if somebody is logged in.
  var isRestored = false
  var tab = AppTab.home
  /// The tab to open once that is known.
  var wanted: AppTab?
  /// What the tabs have loaded.
  private var lists: [AppTab: AppList] = [:]
  /// The menu of a row of the open tab.
  var menu: AppList?
  let filter = AppInput("Filter")
  var isFiltering = false
  var form: AppForm?
  /// The payment that was being typed when another tab was opened.
  var draft: AppForm?
  var question: AppQuestion?
  /// What takes the place of all else until somebody has seen it.
  var interruption: AppInterruption?
  /// The first line that shows of the interruption, or of the help.
  var overlayTop = 0
  /// Whether there is no account yet.
  var isEmpty = false
  /// Whether an administrator has to set up a second step before anything else.
  var lacksTwoStep = false
  var notice: AppNotice?
  /// The notice of why the last look found nothing out.
  var lookNotice: AppNotice?
  /// When to look again, if that is due before anything changes.
  var nextLook: Duration?
  var showsHelp = false
  /// What is going on in the background.
  var work: AppAction?
  /// The form that asked for it, if one did: what comes of it belongs there.
  var sender: AppForm?
  /// The present moment, counted from any other; only ``update(_:at:)`` moves it.
  var now = Duration.zero
  /// When the work was begun.
  var workBegan = Duration.zero
  /// When what is loaded now was asked for.
  var loadingBegan = Duration.zero
  /// When the last key came, or the interruption.
  var lastKey = Duration.zero
  /// What the wall clock shows at the zero of ``now``, in seconds since 1970.
  let epoch: Int64
  /// When the session ends by itself, and whether a key puts that off.
  var end: (at: Duration, isIdle: Bool)?
  /// The receipts of money that has just arrived, and until when they are marked.
  var arrived: (ids: Set<String>, until: Duration)?
  /// Who was logged in here, the latest first.
  var knownUsers: [String] = []
  /// Whether the program ends when the work is done.
  var isQuitting = false
  /// Why the last action failed, where the program ended with it.
  var lastProblem: CommandError?
  /// Whether presses of the mouse are read, so that the terminal itself selects no text.
  var readsMouse = true
  /// How many payments were begun.
  var payments = 0

  init(columns: Int, rows: Int, context: String? = nil, provider: String? = nil, epoch: Int64 = 0) {
    (self.columns, self.rows, self.context, self.provider, self.epoch) = (columns, rows, context, provider, epoch)
  }

  subscript(tab: AppTab) -> AppList {
    get { lists[tab, default: AppList()] }
    set { lists[tab] = newValue }
  }

  /// When the screen changes by itself, if it does.
  var nextChange: Duration? {
    var changes: [Duration] = []
    if work != nil { changes.append(workBegan + (isWorkLong ? .seconds(seconds + 1) : Self.moment)) }
    if page == nil || !isRestored { changes.append(loadingBegan + Self.moment) }
    if interruption != nil { changes.append(lastKey + AppInterruption.quiet) }
    if form?.problem != nil, let end = form?.waitEnd, end > now {
      changes.append(end - Deadlines.nextChange(ofWait: end - now))
    }
    if isLoggedIn, let end {
      changes.append(end.at - (ending == nil ? Self.lastMinute : Deadlines.nextChange(ofWait: end.at - now)))
    }
    changes += [arrived?.until, nextLook].compactMap(\.self)
    for moment in (menuRow?.menu?.moments ?? [:]).values {
      let step: Int64 = wallNow - moment < 7200 ? 60 : 3600
      changes.append(now + .seconds(step - (wallNow - moment) % step))
    }
    return changes.filter { $0 > now }.min()
  }

  /// What the wall clock shows, in seconds since 1970.
  var wallNow: Int64 { epoch + now.components.seconds }

  /// How long before its end the screen says that a session ends.
  private static let lastMinute = Duration.seconds(60)

  /// That the session is about to end, in its last minute.
  var ending: AppNotice? {
    guard isLoggedIn, let end, end.at > now, end.at - now <= Self.lastMinute else { return nil }
    let rest = end.isIdle ? "any key continues it." : "then log in again."
    return AppNotice("Your session ends in \((end.at - now).asWait); \(rest)", .strong)
  }

  /// What takes no longer than this needs no word that it goes on.
  private static let moment = Duration.milliseconds(100)

  /// For how many whole seconds the work has been going on.
  var seconds: Int { Int((now - workBegan).components.seconds) }

  /// Whether the work has been going on for more than a moment.
  var isWorkLong: Bool { work != nil && now >= workBegan + Self.moment }

  /// Whether the open form waits for what it asked for.
  var isWaiting: Bool { work != nil && form != nil && form === sender }

  /// Whether somebody has waited for the page for more than a moment.
  var isLoadingLong: Bool { now >= loadingBegan + Self.moment }

  /// Who is logged in.
  var user: User? { if case .logOut(let user) = button { user } else { nil } }

  var isLoggedIn: Bool { user != nil }

  var tabs: [AppTab] { provider == nil ? AppTab.atDatabase(user?.role) : AppTab.atProvider }

  /// What logs in, and then opens the tab.
  var logInChoice: AppChoice { provider == nil ? .fill(.logIn(then: tab)) : .authenticate }

  /// Whether keys are text, so that none opens a tab.
  var isTyping: Bool { form != nil || isFiltering }

  /// Whether the tab cannot be open now.
  func isClosed(_ tab: AppTab) -> Bool { !tabs.contains(tab) || tab.isGuarded && !isLoggedIn }

  /// The row of the open tab whose menu is open.
  var menuRow: AppRow? {
    guard let menu else { return nil }
    return self[tab].page?.rows.first { $0.id == menu.menuOf && $0.menu != nil }
  }

  /// What is open: the tab, or the menu of one of its rows; nil while it is loading.
  var page: AppPage? { menuRow?.menu ?? (tab == .home ? homePage : self[tab].page) }

  /// The rows that the filter leaves.
  var rowsShown: [AppRow] {
    guard let rows = page?.rows else { return [] }
    guard !filter.text.isEmpty, menuRow == nil else { return rows }
    let wanted = filter.text.lowercased()
    // The backend finds accounts by the start of their names.
    if tab == .accounts, page?.query.text.isEmpty == false { return rows.filter { $0.id.hasPrefix(wanted) } }
    let isTime = (page?.columns ?? []).map { $0.unit != nil }
    // The search of the library would link the engine of regular expressions.
    return rows.filter { row in
      row.cells.enumerated().contains { column, cell in
        !(column < isTime.count && isTime[column]) && strstr(cell.lowercased(), wanted) != nil
      }
    }
  }

  /// Which of them is selected.
  var selected: Int? { selected(in: rowsShown) }

  /// Which of these rows, the ones that are shown, is selected.
  func selected(in rows: [AppRow]) -> Int? {
    guard !rows.isEmpty else { return nil }
    return rows.firstIndex { $0.id == list.id } ?? min(list.index, rows.count - 1)
  }

  /// The list that is open: of the tab, or the menu of one of its rows.
  var list: AppList {
    get { menuRow == nil ? self[tab] : menu ?? self[tab] }
    set { if menuRow == nil { self[tab] = newValue } else { menu = newValue } }
  }

  /// Home is for everybody, and needs nothing to be loaded.
  private var homePage: AppPage {
    if !isRestored, lookNotice == nil { return AppPage(lines: isLoadingLong ? ["Looking for your session…"] : []) }
    let logIn = AppRow("Log in", logInChoice)
    let machine = AppRow("See how a session works", .open(.machine))
    var lines = [isRestored ? "Welcome. Nobody is logged in." : "It is not known yet whether you are logged in."]
    var rows: [AppRow]
    if let user { lines = ["Welcome, \(user.displayName)."] }
    if let provider {
      lines.append("This context is at \(provider).")
      let contexts = AppRow("See the logins of this device", .open(.contexts))
      rows =
        user == nil
        ? [logIn, contexts, machine]
        : [
          AppRow("See what the provider says about you", .open(.profile)), contexts,
          AppRow("Renew the access token", .perform(.renewAccess)),
          AppRow("Confirm the login at the provider", .authenticate),
          AppRow("See how your session works", .open(.machine)), AppRow("Log out", .ask(.logOut)),
        ]
    } else if let user {
      rows = lacksTwoStep ? [AppRow("Set up a second step", .perform(.change(.beginTwoStep)))] : []
      rows += [
        AppRow("Pay somebody", .open(.pay)), AppRow("See your receipts", .open(.receipts)),
        AppRow("See where you are logged in", .open(.sessions)),
        AppRow("Change your name", .fill(.rename(user.displayName))),
        AppRow("Change your password", .fill(.changePassword)),
        AppRow("See how your session works", .open(.machine)), AppRow("Log out", .ask(.logOut)),
      ]
    } else if isEmpty {
      lines.append("There are no accounts yet. The first one administers the others.")
      rows = [AppRow("Create the first account", .fill(.register)), logIn, machine]
    } else {
      let recover = AppRow("Set a new password with a code", .fill(.recover()))
      rows = [logIn, AppRow("Create an account", .fill(.register)), recover, machine]
    }
    return AppPage(lines: lines + [""], rows: rows + [AppRow("Quit", .quit)])
  }
}

/// What a tab has loaded, or the menu of one of its rows; and what is selected in it.
struct AppList {
  /// The row whose menu the list is, if it is one.
  var menuOf: String?
  var page: AppPage? { didSet { widths = page.map { AppColumns.naturalWidths($0.columns, $0.rows) } } }
  /// How wide the columns of all rows are where nothing is cut off.
  private(set) var widths: [Int]?
  /// The place of the selected row, and what names it when the list is loaded again.
  var index = 0
  var id: String?
  /// The first row that shows, and how many rows show.
  var top = 0
  var height = 0
  /// What was asked for.
  var asked = AppQuery()
}

/// Which rows to load.
struct AppQuery: Hashable, Sendable {
  var rows = AppPage.limit
  /// Only rows that contain this text; only accounts whose names start with it.
  var text = ""
  /// The order of accounts.
  var order = AccountsQuery.Order.name
}

/// A line of the screen, such as what it says by itself.
struct AppNotice: Equatable, Sendable {
  let text: String
  let style: CellStyle

  static let blank = AppNotice("")

  init(_ text: String, _ style: CellStyle = .plain) {
    (self.text, self.style) = (text, style)
  }
}
