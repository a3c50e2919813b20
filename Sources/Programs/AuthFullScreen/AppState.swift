package import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import Glibc

/// The state of the full-screen program; the screen is a function of it.
///
/// Only ``update(_:at:)`` changes it.
final class AppState {
  /// The context; nil for the default one.
  let context: String?
  /// The identity provider of the context, if it is at one.
  let provider: String?
  /// Whether a new login at the provider can confirm the session of a user.
  let canConfirm: (User) -> Bool
  var columns: Int
  var rows: Int
  /// The button of the navigation bar, which also has the user who is logged in.
  var button = NavigationBar.Button.logIn
  /// Whether the saved session was checked, so that the user is known.
  var isRestored = false
  var tab = AppTab.home
  /// The tab to open once the user is known.
  var wanted: AppTab?
  /// The lists that the tabs have loaded.
  private var lists: [AppTab: AppList] = [:]
  /// The menu of a row of the open tab.
  var menu: AppList?
  let filter = AppInput("Filter")
  var isFiltering = false
  var form: AppForm?
  /// The unfinished form of a payment while another tab is open.
  var draft: AppForm?
  var question: AppQuestion?
  /// The page that covers everything else until the user closes it.
  var interruption: AppInterruption?
  /// What became of the codes that the interruption shows.
  var keeping = AppKeeping()
  /// The first visible line of the interruption or of the help.
  var overlayTop = 0
  /// Whether the database has no accounts.
  var isEmpty = false
  /// Whether the administrator must set up a second step before anything else.
  var lacksTwoStep = false
  var notice: AppNotice?
  /// The notice that explains why the last check of the session failed.
  var checkNotice: AppNotice?
  /// The notice that explains why the last load of a tab failed, and whether the database could not
  /// be used at all.
  var loadNotice: (tab: AppTab, notice: AppNotice, isOutage: Bool)?
  /// The error whose notice says how long to wait, and the time when the wait ends.
  var delay: (problem: CommandError, end: Duration)?
  /// The time of the next check of the session if nothing changes before; nil for none.
  var nextCheck: Duration?
  var showsHelp = false
  /// The action that the worker performs now; nil while it does nothing.
  var work: AppAction?
  /// The form that started the action, which shows its result.
  var sender: AppForm?
  /// The current time since some fixed moment; only ``update(_:at:)`` changes it.
  var now = Duration.zero
  /// The time when the action started.
  var workBegan = Duration.zero
  /// The time when the current page was requested.
  var loadingBegan = Duration.zero
  /// The time of the last key, or of the interruption.
  var lastKey = Duration.zero
  /// Whether a key may close the interruption.
  ///
  /// No key sets this: after a stop, keys that were typed without a pause may be handled with one.
  var isQuiet = false
  /// The wall-clock time at the zero of ``now``, in seconds since 1970.
  let epoch: Int64
  /// The time when the session expires, and whether a key prolongs it.
  var end: (at: Duration, isIdle: Bool)?
  /// The receipts of payments that just arrived, and the time until which they are marked.
  var arrived: (ids: Set<String>, until: Duration)?
  /// The names of the users who were logged in, the latest first.
  var knownUsers: [String] = []
  /// Whether the program ends after the running action.
  var isQuitting = false
  /// The error of the action with which the program ended.
  var lastProblem: CommandError?
  /// Whether the program reads the mouse; then the terminal cannot select text with it.
  var readsMouse = true
  /// Whether the program reads the mouse now: not while it shows a secret that the user may want to
  /// select.
  var readsMouseNow: Bool { readsMouse && secretShown == nil }
  /// The codes or the secret that the screen shows; nil for none.
  var secretShown: String? { interruption == nil ? form?.plan.secret : interruption?.codes }
  /// The number of payment forms so far.
  var payments = 0

  init(
    columns: Int, rows: Int, context: String? = nil, provider: String? = nil, epoch: Int64 = 0,
    canConfirm: @escaping (User) -> Bool = { _ in true }
  ) {
    (self.columns, self.rows, self.context, self.provider, self.epoch) = (columns, rows, context, provider, epoch)
    self.canConfirm = canConfirm
  }

  subscript(tab: AppTab) -> AppList {
    get { lists[tab, default: AppList()] }
    set { lists[tab] = newValue }
  }

  /// The time when the screen changes by itself; nil if it does not.
  var nextChange: Duration? {
    var changes: [Duration] = []
    if work != nil { changes.append(workBegan + (isWorkLong ? .seconds(seconds + 1) : Self.moment)) }
    if page == nil || !isRestored { changes.append(loadingBegan + Self.moment) }
    if interruption != nil { changes.append(lastKey + AppInterruption.quiet) }
    for end in [form?.problem == nil ? nil : form?.wait?.end, delay?.end].compactMap(\.self) where end > now {
      changes.append(end - Deadlines.nextChange(ofWait: end - now))
    }
    if isLoggedIn, let end {
      let isShown = ending != nil || tab == .home
      changes.append(end.at - (isShown ? Deadlines.nextChange(ofWait: end.at - now) : Self.lastMinute))
    }
    changes += [arrived?.until, nextCheck].compactMap(\.self)
    for moment in (menuRow?.menu?.moments ?? [:]).values {
      let step: Int64 = wallNow - moment < 7200 ? 60 : 3600
      changes.append(now + .seconds(step - (wallNow - moment) % step))
    }
    return changes.filter { $0 > now }.min()
  }

  /// The current wall-clock time in seconds since 1970.
  var wallNow: Int64 { epoch + now.components.seconds }

  /// How long before a session's end the notice about it shows.
  private static let lastMinute = Duration.seconds(60)

  /// The notice in the last minute of a session.
  var ending: AppNotice? {
    guard isLoggedIn, let end, end.at > now, end.at - now <= Self.lastMinute else { return nil }
    let rest = end.isIdle ? "any key continues it." : "then log in again."
    return AppNotice("Your session ends in \((end.at - now).asWait); \(rest)", .strong)
  }

  /// The time after which an action or a page that is loading shows that it is.
  private static let moment = Duration.milliseconds(100)

  /// The duration of the running action in whole seconds.
  var seconds: Int { Int((now - workBegan).components.seconds) }

  /// Whether the running action takes so long that its progress shows.
  var isWorkLong: Bool { work != nil && now >= workBegan + Self.moment }

  /// Whether the open form waits for its action.
  var isWaiting: Bool { work != nil && form != nil && form === sender }

  /// Whether the page takes so long to load that the screen says so.
  var isLoadingLong: Bool { now >= loadingBegan + Self.moment }

  /// The user who is logged in.
  var user: User? { if case .logOut(let user) = button { user } else { nil } }

  var isLoggedIn: Bool { user != nil }

  var tabs: [AppTab] { provider == nil ? AppTab.atDatabase(user?.role) : AppTab.atProvider }

  /// The choice that logs in and then opens the current tab.
  var logInChoice: AppChoice { provider == nil ? .fill(.logIn(then: tab)) : .authenticate }

  /// Whether keys are typed text and do not open tabs.
  var isTyping: Bool { form != nil || isFiltering }

  /// Whether the user cannot open the tab.
  func isClosed(_ tab: AppTab) -> Bool { !tabs.contains(tab) || tab.isGuarded && !isLoggedIn }

  /// The row of the open tab whose menu is open.
  var menuRow: AppRow? {
    guard let menu else { return nil }
    return self[tab].page?.rows.first { $0.id == menu.menuOf && $0.menu != nil }
  }

  /// The open page: of the tab, or the menu of one of its rows; nil while it is loading.
  var page: AppPage? { menuRow?.menu ?? (tab == .home ? homePage : self[tab].page) }

  /// The rows that match the filter.
  var rowsShown: [AppRow] {
    guard let rows = page?.rows else { return [] }
    guard !filter.text.isEmpty, menuRow == nil else { return rows }
    let wanted = filter.text.lowercased()
    // The backend finds accounts by the start of their names.
    if tab == .accounts, page?.query.text.isEmpty == false { return rows.filter { $0.id.hasPrefix(wanted) } }
    let isTime = (page?.columns ?? []).map { $0.unit != nil }
    // The standard library's search would link the regular expression engine.
    return rows.filter { row in
      row.cells.enumerated().contains { column, cell in
        !(column < isTime.count && isTime[column]) && strstr(cell.lowercased(), wanted) != nil
      }
    }
  }

  /// The index of the selected row.
  var selected: Int? { selected(in: rowsShown) }

  /// The index of the selected row among these rows, which are ``rowsShown``.
  func selected(in rows: [AppRow]) -> Int? {
    guard !rows.isEmpty else { return nil }
    return rows.firstIndex { $0.id == list.id } ?? min(list.index, rows.count - 1)
  }

  /// The open list: of the tab, or the menu of one of its rows.
  var list: AppList {
    get { menuRow == nil ? self[tab] : menu ?? self[tab] }
    set { if menuRow == nil { self[tab] = newValue } else { menu = newValue } }
  }
}

/// The loaded page of a tab, or the menu of one of its rows, with the selection.
struct AppList {
  /// The row to which the menu belongs; nil for the list of a tab.
  var menuOf: String?
  var page: AppPage? { didSet { widths = page.map { AppColumns.naturalWidths($0.columns, $0.rows) } } }
  /// The widths at which no cell of any row is cut off.
  private(set) var widths: [Int]?
  /// The index of the selected row, and its name for when the list is loaded again.
  var index = 0
  var id: String?
  /// The first visible row, and the number of visible rows.
  var top = 0
  var height = 0
  /// The query whose rows the page shows or waits for.
  var asked = AppQuery()
}

/// The rows to load.
package struct AppQuery: Hashable, Sendable {
  package var rows = AppPage.limit
  /// Only rows that contain this text; only accounts whose names start with it.
  package var text = ""
  /// The order of accounts.
  package var order = AccountsQuery.Order.name
}

/// A text with its style: a line of the screen, or a message.
struct AppNotice: Equatable, Sendable {
  let text: String
  let style: CellStyle

  static let blank = AppNotice("")

  init(_ text: String, _ style: CellStyle = .plain) {
    (self.text, self.style) = (text, style)
  }
}
