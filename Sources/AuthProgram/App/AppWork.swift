import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import Glibc
import Guards
import TextFormat

/// Does what the screen asks for, away from the thread that draws it.
///
/// It works through the guarded screens that the commands work through, so it can do no more than
/// they can.
final class AppWork: Sendable {
  let store: SessionStore
  let bar: NavigationBar
  /// Ends sessions only where a person asks for it here.
  let backend: CommandBackend
  private let vault: FileVault
  private let isFileGone = Locked(false)
  private let open = Locked<AppScreens?>(nil)
  /// Makes the names of this run's payments its own.
  let run = UInt64.random(in: 0...UInt64.max)

  init(_ workspace: Workspace) {
    (store, backend, vault) = (workspace.store, workspace.backend, workspace.vault)
    store.keepSteps(40) { .now }
    bar = NavigationBar(store: store)
  }

  /// Calls `look` at first, when changes from then on are told, and after each change that another
  /// process may have made; it does not return.
  ///
  /// Where changes cannot be told for now it is called now and then, with the reason.
  func followChanges(look: (CommandError?) -> Void) async {
    while true {
      do throws(BackendError) {
        let changes = try ChangeWait(vault, backend)
        var isListening = try changes.listen()
        while true {
          look(nil)
          // A service tells the changes of a session, which the first look finds.
          for await change in store.transitions {
            guard case .restoring(nil, _) = change.snapshot else { break }
          }
          let wasEmpty = isEmpty
          var isDatabaseAlone: Bool
          repeat {
            // Nobody tells when a directory that is gone comes back.
            isDatabaseAlone = try changes.wait(atMost: .seconds(isListening ? 86_400 : 2))
            isListening = try changes.listen()
            // Without a session only a session file, or the first account, changes what shows.
          } while isDatabaseAlone && store.session == nil && !wasEmpty
        }
      } catch {
        look(CommandError(error))
        poll(nil, 0, 5_000)
      }
    }
  }

  /// Why the user was logged out here, where nobody asked for it here.
  func sentence(for reason: EndReason) -> String {
    guard reason == .userAsked else { return "You are logged out: \(reason.clause)." }
    return isFileGone.withLock { $0 }
      ? "You are logged out: the session file is gone, but its session is still active."
      : "You were logged out in another terminal."
  }

  /// How long nothing can change by itself; where the clock cannot be read, the next look says so.
  ///
  /// It reads no clock without a session: that of a service waits until the service was reached.
  var timeUntilLimit: Duration? {
    do throws(ClockError) { return try store.timeUntilLimit(by: backend.clock) } catch { return .seconds(300) }
  }

  /// When the session ends by itself, if that is soon, and whether activity puts that off.
  var sessionEnd: AppMessage {
    let limits = store.session?.limits
    return .ends(in: timeUntilLimit, isIdle: limits?.absolute != limits?.earliest.map { .at($0) })
  }

  /// Does it, and says what came of it.
  func take(_ effect: AppEffect) async -> AppMessage {
    switch effect {
    case .look: return await look()
    case .load(let tab, let isActivity, let query):
      return .loaded(
        tab, await outcome { () throws(CommandError) in try await load(tab, isActivity: isActivity, query) })
    case .perform(let action):
      if action.mayEndSession { backend.beginEnding() }
      defer { if action.mayEndSession { backend.finishEnding() } }
      return .finished(action, await outcome { () throws(CommandError) in try await carryOut(action) })
    case .renew:
      // Where that fails, the look finds out why.
      return await (try? store.renew()) != nil ? .tick : look()
    case .copy, .quit: return .tick
    }
  }

  /// Whether there is no account yet.
  private var isEmpty: Bool {
    guard store.session == nil else { return false }
    do throws(BackendError) { try backend.checkForLogins() } catch {
      return error.code == BackendError.FailureCode.databaseMissing.rawValue
    }
    return false
  }

  /// Looks at the session again.
  func look() async -> AppMessage {
    var notes: [Bool] = []
    let problem = await store.look(without: vault, at: backend) { isGone in
      isFileGone.withLock { $0 = isGone }
      notes.append(isGone)
    }
    // The file was moved away meanwhile, so another reason may be on the screen.
    if notes == [false, true] { return .dismissed(sentence(for: .userAsked)) }
    // A login under way is in the way of a look.
    let isKnown =
      switch store.state {
      case .restoring, .authenticating, .challenged(_, nil): false
      case .loggedOut, .challenged, .loggedIn, .renewing, .loggingOut: true
      }
    return .looked(problem, isEmpty: isEmpty, isKnown: isKnown)
  }

  private func load(_ tab: AppTab, isActivity: Bool, _ query: AppQuery) async throws(CommandError) -> AppPage {
    if tab == .home {
      // Whether anybody may register, before a name is typed: any name tells.
      try explained { () throws(BackendError) in try backend.check(newUsername: "x") }
    }
    guard tab.isGuarded else { return tab == .machine ? machinePage : AppPage() }
    if isActivity { try await explainedAsync { () throws(SessionError) in try await store.renew() } }
    let screens = try screens()
    let session = screens.user.session
    let administrator = tab == .accounts ? try session.administratorKey() : nil
    let deadlines = try Deadlines(clock: backend.clock)
    var (receipts, events): (LoadedPage<Receipt>?, LoadedPage<Event>?)
    let page = Page(matching: query.text, limit: query.rows)
    if tab == .receipts {
      receipts = try await store.search(page, of: session) { (page, lease) throws(BackendError) in
        try screens.receipts.page(page, of: backend, under: lease)
      }
    } else if tab == .events {
      events = try await store.search(page, of: session) { (page, lease) throws(BackendError) in
        try screens.user.events(page, at: backend, under: lease)
      }
    }
    return try await store.ask(session) { [receipts, events] (lease) throws(BackendError) in
      switch tab {
      case .pay:
        return .pay(try backend.profile(under: lease), try backend.receipts(Page(limit: 50), under: lease).rows)
      case .receipts:
        guard let receipts else { return AppPage() }
        return .receipts(receipts, of: try backend.profile(under: lease), query: query)
      case .profile:
        return .profile(try backend.profile(under: lease), try backend.twoStep(under: lease))
      case .sessions: return .sessions(try backend.sessions(under: lease), deadlines)
      case .events:
        guard let events else { return AppPage() }
        return .events(events, try backend.sessions(under: lease), query: query)
      case .accounts:
        guard let administrator else { return AppPage() }
        let registration = try backend.registration(for: administrator, under: lease)
        let policy = try backend.twoStepPolicy(for: administrator, under: lease)
        let rows = AccountsQuery(namePrefix: query.text, order: query.order, limit: query.rows)
        return .accounts(
          try screens.accounts.page(rows, of: backend, for: administrator, under: lease), registration, policy,
          query: query)
      case .home, .machine: return AppPage()
      }
    }
  }

  /// The screens of the user who is logged in; without one there are none.
  func screens() throws(CommandError) -> AppScreens {
    if let open = open.withLock(\.self), open.user.key.dismissal == nil { return open }
    guard let user = store.open(UserScreen.self), let payment = store.open(PaymentScreen.self),
      let receipts = store.open(ReceiptsScreen.self), let accounts = store.open(AccountsScreen.self)
    else { throw CommandError(code: .notLoggedIn) }
    let screens = AppScreens(user: user, payment: payment, receipts: receipts, accounts: accounts)
    open.withLock { $0 = screens }
    return screens
  }

  private var machinePage: AppPage {
    let machine = store.machine
    let (wall, now) = (WallTime.now(), ContinuousClock.now)
    let steps = machine.steps.map { step in
      let at = step.at.map { UTCTime(seconds: wall.seconds - (now - $0).components.seconds).local(.seconds) }
      return (step, String((at ?? "").suffix(8)))
    }
    return AppPage(machine: MachineView(present: machine.state, table: .shipped, steps: steps))
  }

  func fresh(_ session: LoggedInSession) throws(CommandError) -> FreshSession {
    try explained { () throws(FreshnessError) in try FreshSession(session) }
  }
}

/// The guarded screens of one session: none can be made without it, and all are dismissed with it.
struct AppScreens: Sendable {
  let user: UserScreen
  let payment: PaymentScreen
  let receipts: ReceiptsScreen
  let accounts: AccountsScreen
}
