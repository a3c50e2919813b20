import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

/// The work of the full-screen program, which runs on threads that do not draw.
///
/// ``AppWork`` works at a database, ``ProviderAppWork`` at an identity provider.
protocol AppWorker: Sendable {
  var store: SessionStore { get }
  var vault: FileVault { get }
  var clock: any SessionClock { get }
  /// The backend whose changes the screen follows; nil at an identity provider.
  var database: (any Backend)? { get }
  /// Whether there are no accounts yet, so that the next one becomes the administrator.
  var isEmpty: Bool { get }
  /// Whether the session file was missing at the last check, while its session was active.
  var isFileMissing: Bool { get }
  /// Checks the session again.
  func look() async -> AppMessage
  /// Loads the page of a tab.
  func load(_ tab: AppTab, isActivity: Bool, _ query: AppQuery) async throws(CommandError) -> AppPage
  /// Performs an action of the user, and returns its result.
  func perform(_ action: AppAction) async throws(CommandError) -> AppOutcome
}

extension AppWorker {
  /// The sentence that explains why a session ended without a logout in this program.
  func sentence(for reason: EndReason) -> String {
    guard reason == .userAsked else { return "You are logged out: \(reason.clause)." }
    return isFileMissing
      ? "You are logged out: the session file is gone, but its session is still active. After a login, the Sessions tab can end it."
      : "You were logged out in another terminal."
  }

  /// Calls `look` when it has started to follow changes, and after each change that another process
  /// may have made; it does not return.
  ///
  /// While changes cannot be followed, it calls `look` every 5 seconds, with the reason.
  func followChanges(look: (CommandError?) -> Void) async {
    while true {
      do throws(BackendError) {
        let changes = try ChangeWait(vault, database)
        var isListening = try changes.listen()
        while true {
          look(nil)
          // A service reports only the changes of a session that it knows: wait until the first
          // check has found it.
          for await change in store.transitions {
            guard case .restoring(nil, _) = change.snapshot else { break }
          }
          let wasEmpty = isEmpty
          var isDatabaseAlone: Bool
          repeat {
            // A deleted directory cannot be watched: check every 2 seconds whether it is back.
            isDatabaseAlone = try changes.wait(atMost: .seconds(isListening ? 86_400 : 2))
            isListening = try changes.listen()
            // Without a session, only a new session file or the first account changes the screen,
            // so other changes of the database are skipped.
          } while isDatabaseAlone && store.session == nil && !wasEmpty
        }
      } catch {
        look(CommandError(error))
        poll(nil, 0, 5_000)
      }
    }
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
    case .look: return await look()
    case .load(let tab, let isActivity, let query):
      return .loaded(
        tab, await outcome { () throws(CommandError) in try await load(tab, isActivity: isActivity, query) })
    case .perform(let action):
      return .finished(action, await outcome { () throws(CommandError) in try await perform(action) })
    case .renew:
      // If it fails, a check of the session reports why.
      return await (try? store.renew()) != nil ? .tick : look()
    case .copy, .copySecret, .writeCodes, .authenticate, .quit: return .tick
    }
  }

  /// Whether it is known who is logged in; not during a login.
  var isKnown: Bool {
    switch store.state {
    case .restoring, .authenticating, .challenged(_, nil): false
    case .loggedOut, .challenged, .loggedIn, .renewing, .loggingOut: true
    }
  }

  /// The page of the Machine tab.
  var machinePage: AppPage {
    let machine = store.machine
    let (wall, now) = (WallTime.now(), ContinuousClock.now)
    let steps = machine.steps.map { step in
      let at = step.at.map { UTCTime(seconds: wall.seconds - (now - $0).components.seconds).local(.seconds) }
      return (step, String((at ?? "").suffix(8)))
    }
    return AppPage(machine: MachineView(present: machine.state, table: .shipped, steps: steps))
  }
}
