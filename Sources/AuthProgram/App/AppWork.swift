import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import Guards
import TextFormat

/// Does what the screen asks for, away from the thread that draws it.
///
/// It works through the guarded screens that the commands work through, so it can do no more than
/// they can.
final class AppWork: Sendable {
  let store: SessionStore
  let bar: NavigationBar
  let backend: any Backend
  /// Ends sessions only where a person asks for it here.
  private let authority: CommandAuthority
  private let vault: FileVault
  private let isFileGone = Locked(false)
  /// Whether it is known that there are accounts.
  private let hasAccounts = Locked(false)
  private let open = Locked<AppScreens?>(nil)
  /// Makes the names of this run's payments its own.
  let run = UInt64.random(in: 0...UInt64.max)

  init(store: SessionStore, backend: any Backend, authority: CommandAuthority, vault: FileVault) {
    self.store = store
    self.backend = backend
    self.authority = authority
    self.vault = vault
    store.keepSteps(40)
    bar = NavigationBar(store: store)
  }

  /// Calls `look` when another process may have changed what the screen shows, and now and then
  /// where that cannot be told, with the reason; it does not return.
  func followChanges(look: (CommandError?) -> Void) {
    AppChanges.follow(in: vault, backend, store, look: look)
  }

  /// Why the user was logged out here, where nobody asked for it here.
  func sentence(for reason: EndReason) -> String {
    guard reason == .userAsked else { return "You are logged out: \(reason.clause)." }
    return isFileGone.withLock { $0 }
      ? "You are logged out: the session file is gone, but its session is still active."
      : "You were logged out in another terminal."
  }

  /// How long nothing can change by itself: until the next limit of the session.
  ///
  /// A machine that slept is noticed by looking up now and then.
  var timeUntilLimit: Duration? {
    guard let earliest = store.session?.limits.earliest else { return nil }
    do throws(ClockError) {
      return min(.seconds(300), earliest.uptime - (try backend.clock.now()).uptime)
    } catch {
      // The next look says that the clock cannot be read.
      return .seconds(300)
    }
  }

  /// How long it is until the session ends by itself, and whether activity puts that off.
  var sessionEnd: (left: Duration, isIdle: Bool)? {
    guard let limits = store.session?.limits, let earliest = limits.earliest, let now = try? backend.clock.now() else {
      return nil
    }
    return (earliest.uptime - now.uptime, limits.absolute != .at(earliest))
  }

  /// Whether a limit of the session is reached.
  var isLimitReached: Bool { timeUntilLimit.map { $0 <= .zero } ?? false }

  /// Does it, and says what came of it.
  func take(_ effect: AppEffect) async -> AppMessage {
    switch effect {
    case .look: return .looked(await look(), isEmpty: isEmpty)
    case .load(let tab, let isActivity, let query):
      do throws(CommandError) {
        return .loaded(tab, .success(try await load(tab, isActivity: isActivity, query)))
      } catch {
        return .loaded(tab, .failure(error))
      }
    case .perform(let action):
      if action.mayEndSession { authority.beginEnding() }
      defer { if action.mayEndSession { authority.finishEnding() } }
      do throws(CommandError) {
        return .finished(action, .success(try await carryOut(action)))
      } catch {
        return .finished(action, .failure(error))
      }
    case .renew:
      // Where that fails, the look finds out why.
      if (try? await store.renew()) != nil { return .tick }
      return .looked(await look(), isEmpty: isEmpty)
    case .copy, .quit: return .tick
    }
  }

  /// Whether there is no account yet.
  private var isEmpty: Bool {
    guard store.session == nil, !hasAccounts.withLock(\.self) else { return false }
    do throws(BackendError) {
      try backend.checkForLogins()
      hasAccounts.withLock { $0 = true }
      return false
    } catch {
      return error.code == BackendError.FailureCode.databaseMissing.rawValue
    }
  }

  /// Finds out whether somebody is logged in, or what became of the session.
  ///
  /// - Returns: Why it could not be found out.
  func look() async -> CommandError? {
    guard let session = store.session else {
      guard case .obstructed(let obstacle) = await store.restore() else { return nil }
      return CommandError(obstacle)
    }
    do throws(CommandError) {
      let isGone = try await store.isGoingOn(session, without: vault, at: backend)
      isFileGone.withLock { $0 = isGone }
    } catch {
      return store.session == nil ? nil : error
    }
    do throws(SessionError) {
      try await store.check()
      return nil
    } catch {
      switch error {
      case .ended, .rejected, .overtaken: return nil
      case .credentialsNotAccepted, .throttled, .unavailable, .notSaved, .vault, .corrupt, .clock,
        .insideLease, .cancelled:
        return CommandError(error)
      }
    }
  }

  private func load(_ tab: AppTab, isActivity: Bool, _ query: AppQuery) async throws(CommandError) -> AppPage {
    if tab == .home {
      // Whether anybody may register, before a name is typed: any name tells.
      do throws(BackendError) { try backend.check(newUsername: "x") } catch { throw CommandError(error) }
    }
    guard tab.isGuarded else { return tab == .machine ? machinePage : AppPage() }
    if isActivity {
      do throws(SessionError) { _ = try await store.renew() } catch { throw CommandError(error) }
    }
    let screens = try screens()
    let administrator = tab == .accounts ? try administrator(screens.accounts.session) : nil
    let deadlines = try Deadlines(clock: backend.clock)
    return try await store.asking { () throws(LeaseError<BackendError>) in
      try screens.page(tab, query, of: backend, administrator, deadlines)
    }
  }

  /// The screens of the user who is logged in; without one there are none.
  func screens() throws(CommandError) -> AppScreens {
    if let open = open.withLock(\.self), open.payment.dismissal == nil { return open }
    guard let screens = AppScreens(store) else { throw CommandError(code: .notLoggedIn) }
    open.withLock { $0 = screens }
    return screens
  }

  private var machinePage: AppPage {
    let machine = store.machine
    let (wall, now) = (WallTime.now(), ContinuousClock.now)
    let times = machine.steps.map { step in
      step.at.map { String(UTCTime(seconds: wall.seconds - (now - $0).components.seconds).local(.seconds).suffix(8)) }
        ?? ""
    }
    return AppPage(machine: MachineView(present: machine.state, table: .shipped, steps: machine.steps, times: times))
  }

  func administrator(_ session: LoggedInSession) throws(CommandError) -> AdminSession {
    do throws(RoleError) {
      return try AdminSession(session)
    } catch {
      throw CommandError(error)
    }
  }
}
