import AuthAccounts
import AuthCore
import AuthDevice
import AuthFullScreen
import AuthMessages
import AuthScreens
import CommandLineKit
import ConcurrencyKit

/// The work of the full-screen program at a database.
///
/// It uses the same guarded screens as the commands, so it can do no more than they can.
final class AppWork: CommandAppWorker {
  let store: SessionStore
  let bar: NavigationBar
  /// The database, which may revoke a session only during a login or a logout of this program.
  let backend: CommandBackend
  let vault: FileVault
  let context: ContextName
  private let fileMissing = Locked(false)
  private let open = Locked<AppScreens?>(nil)
  /// The part of idempotency keys that is unique to this run.
  let run = UInt64.random(in: 0...UInt64.max)

  init(_ workspace: Workspace) {
    (store, backend, vault, context) = (workspace.store, workspace.backend, workspace.vault, workspace.context)
    bar = NavigationBar(store: store)
  }

  var clock: any SessionClock { backend.clock }
  var database: (any Backend)? { backend }
  func canConfirm(_ user: User) -> Bool { false }
  var isFileMissing: Bool { fileMissing.withLock(\.self) }

  var isEmpty: Bool {
    guard store.session == nil else { return false }
    do throws(BackendError) { try backend.checkForLogins() } catch {
      return error.code == BackendError.FailureCode.databaseMissing.rawValue
    }
    return false
  }

  func check() async -> AppMessage {
    var notes: [Bool] = []
    let problem = await store.checkAgain(without: vault, at: backend) { isGone in
      fileMissing.withLock { $0 = isGone }
      notes.append(isGone)
    }
    // The file disappeared during this check, so the screen may show an older reason.
    if notes == [false, true] { return .dismissed(sentence(for: .userAsked)) }
    return .checked(problem, isEmpty: isEmpty, isKnown: isKnown)
  }

  func load(_ tab: AppTab, isActivity: Bool, _ query: AppQuery) async throws(CommandError) -> AppPage {
    if tab == .home, store.session == nil {
      // Find out whether registration is open before a name is typed; any name serves for that.
      try explained { () throws(BackendError) in try backend.check(newUsername: "x") }
      return .blank
    }
    guard tab.isGuarded || tab == .home else { return tab == .machine ? machinePage : .blank }
    if isActivity { try await explainedAsync { () throws(SessionError) in try await store.renew() } }
    let screens = try screens()
    let session = screens.user.session
    let page = Page(matching: query.text, limit: query.rows)
    switch tab {
    case .home:
      return try await store.ask(session) { (lease) throws(BackendError) in
        .home(
          try backend.profile(under: lease), try backend.receipts(Page(limit: 5), under: lease).rows,
          try backend.twoStep(under: lease))
      }
    case .pay:
      return try await store.ask(session) { (lease) throws(BackendError) in
        .pay(try backend.profile(under: lease), try backend.receipts(Page(limit: 50), under: lease).rows)
      }
    case .receipts:
      let receipts = try await store.search(page, of: session) { (page, lease) throws(BackendError) in
        try screens.receipts.page(page, of: backend, under: lease)
      }
      return .receipts(receipts, of: try await store.ask(session, backend.profile(under:)), query: query)
    case .profile:
      return try await store.ask(session) { (lease) throws(BackendError) in
        .profile(try backend.profile(under: lease), try backend.twoStep(under: lease))
      }
    case .sessions:
      let deadlines = try Deadlines(clock: backend.clock)
      return .sessions(try await store.ask(session, backend.sessions(under:)), of: session.user, deadlines)
    case .events:
      let events = try await store.search(page, of: session) { (page, lease) throws(BackendError) in
        try screens.user.events(page, at: backend, under: lease)
      }
      return .events(events, try await store.ask(session, backend.sessions(under:)), of: session.user, query: query)
    case .accounts:
      let administrator = try session.administratorKey()
      let rows = AccountsQuery(namePrefix: query.text, order: query.order, limit: query.rows)
      return try await store.ask(session) { (lease) throws(BackendError) in
        .accounts(
          try screens.accounts.page(rows, of: backend, for: administrator, under: lease),
          try backend.registration(for: administrator, under: lease),
          try backend.twoStepPolicy(for: administrator, under: lease), query: query)
      }
    case .contexts, .machine: return .blank
    }
  }

  /// The guarded screens of the user who is logged in.
  ///
  /// - Throws: `notLoggedIn` if nobody is.
  func screens() throws(CommandError) -> AppScreens {
    if let open = open.withLock(\.self), open.user.key.dismissal == nil { return open }
    guard let user = store.open(UserScreen.self), let payment = store.open(PaymentScreen.self),
      let receipts = store.open(ReceiptsScreen.self), let accounts = store.open(AccountsScreen.self)
    else { throw CommandError(code: .notLoggedIn) }
    let screens = AppScreens(user: user, payment: payment, receipts: receipts, accounts: accounts)
    open.withLock { $0 = screens }
    return screens
  }

  func fresh(_ session: LoggedInSession) throws(CommandError) -> FreshSession {
    try explained { () throws(FreshnessError) in try FreshSession(session) }
  }
}

/// The guarded screens of one session, which are dismissed when it ends.
struct AppScreens: Sendable {
  let user: UserScreen
  let payment: PaymentScreen
  let receipts: ReceiptsScreen
  let accounts: AccountsScreen
}
