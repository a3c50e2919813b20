import AuthAccounts
package import AuthCore
import AuthMessages
import AuthScreens
package import CommandLineKit
import TextFormat

/// The work of the full-screen program, which runs on threads that do not draw.
///
/// One works at a database, another one at an identity provider.
package protocol AppWorker: Sendable {
  var store: SessionStore { get }
  var clock: any SessionClock { get }
  /// Whether the session file was missing at the last check, while its session was active.
  var isFileMissing: Bool { get }
  /// Checks the session again.
  func check() async -> AppMessage
  /// Loads the page of a tab.
  func load(_ tab: AppTab, isActivity: Bool, _ query: AppQuery) async throws(CommandError) -> AppPage
  /// Performs an action of the user, and returns its result.
  func perform(_ action: AppAction) async throws(CommandError) -> AppResult
  /// Calls `check` when it has started to follow changes, and after each change that another
  /// process may have made; it does not return.
  ///
  /// While changes cannot be followed, it calls `check` every 5 seconds, with the reason.
  func followChanges(check: @Sendable (CommandError?) -> Void) async
  /// Whether a new login at the identity provider can confirm the session of this user.
  func canConfirm(_ user: User) -> Bool
}

extension AppWorker {
  /// The sentence that explains why a session ended without a logout in this program.
  package func sentence(for reason: EndReason) -> String {
    guard reason == .userAsked else { return "You are logged out: \(reason.clause)." }
    return isFileMissing
      ? "You are logged out: the session file is gone, but its session is still active. After a login, the Sessions tab can end it."
      : "You were logged out in another terminal."
  }

  /// The time until the session can end by itself.
  ///
  /// If the clock cannot be read, the next check reports that. Without a session it does not read
  /// the clock, because reading the clock of a service may wait for a connection.
  var timeUntilLimit: Duration? {
    do throws(ClockError) { return try store.timeUntilLimit(by: clock) } catch { return .seconds(300) }
  }

  /// The message with the time until the session expires.
  var sessionEnd: AppMessage {
    let limits = store.session?.limits
    return .ends(in: timeUntilLimit, isIdle: limits?.absolute != limits?.earliest.map { .at($0) })
  }

  /// Runs an effect, and returns the message with its result.
  func take(_ effect: AppEffect) async -> AppMessage {
    switch effect {
    case .check: return await check()
    case .load(let tab, let isActivity, let query):
      do throws(CommandError) {
        return .loaded(tab, .success(try await load(tab, isActivity: isActivity, query)))
      } catch {
        return .loaded(tab, .failure(error))
      }
    case .perform(let action):
      do throws(CommandError) {
        return .finished(action, .success(try await perform(action)))
      } catch {
        return .finished(action, .failure(error))
      }
    case .renew:
      // If it fails, a check of the session reports why.
      return await (try? store.renew()) != nil ? .tick : check()
    case .copy, .copySecret, .writeCodes, .authenticate, .quit: return .tick
    }
  }

  /// Whether it is known who is logged in; not during a login.
  package var isKnown: Bool {
    switch store.state {
    case .restoring, .authenticating, .challenged(_, nil): false
    case .loggedOut, .challenged, .loggedIn, .renewing, .loggingOut: true
    }
  }

  /// The page of the Machine tab, for a machine with these events from one state to another.
  package func machinePage(events: (_ from: String, _ to: String) -> [String]) -> AppPage {
    let machine = store.machine
    let (wall, now) = (WallTime.now(), ContinuousClock.now)
    let steps = machine.steps.map { step in
      let at = step.at.map { UTCTime(seconds: wall.seconds - (now - $0).components.seconds).local(.seconds) }
      return (step, String((at ?? "").suffix(8)))
    }
    return AppPage(machine: MachineView(present: machine.state, events: events, steps: steps))
  }
}
