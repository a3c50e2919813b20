import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import Glibc
import TextFormat

/// Does what the screen asks for, away from the thread that draws it.
///
/// ``AppWork`` does it at a database, ``ProviderAppWork`` at an identity provider.
protocol AppWorker: Sendable {
  var store: SessionStore { get }
  var vault: FileVault { get }
  var clock: any SessionClock { get }
  /// Tells changes of accounts, if there are accounts.
  var database: (any Backend)? { get }
  /// Whether there is no account yet, so that the first one can be created.
  var isEmpty: Bool { get }
  /// Why the user was logged out here, where nobody asked for it here.
  func sentence(for reason: EndReason) -> String
  /// Looks at the session again.
  func look() async -> AppMessage
  func load(_ tab: AppTab, isActivity: Bool, _ query: AppQuery) async throws(CommandError) -> AppPage
  /// Does what a person asked for, and says what was done.
  func perform(_ action: AppAction) async throws(CommandError) -> AppOutcome
}

extension AppWorker {
  /// Calls `look` at first, when changes from then on are told, and after each change that another
  /// process may have made; it does not return.
  ///
  /// Where changes cannot be told for now it is called now and then, with the reason.
  func followChanges(look: (CommandError?) -> Void) async {
    while true {
      do throws(BackendError) {
        let changes = try ChangeWait(vault, database)
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

  /// How long nothing can change by itself; where the clock cannot be read, the next look says so.
  ///
  /// It reads no clock without a session: that of a service waits until the service was reached.
  var timeUntilLimit: Duration? {
    do throws(ClockError) { return try store.timeUntilLimit(by: clock) } catch { return .seconds(300) }
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
      return .finished(action, await outcome { () throws(CommandError) in try await perform(action) })
    case .renew:
      // Where that fails, the look finds out why.
      return await (try? store.renew()) != nil ? .tick : look()
    case .copy, .authenticate, .quit: return .tick
    }
  }

  /// Whether it is known who is logged in: a login under way is in the way of a look.
  var isKnown: Bool {
    switch store.state {
    case .restoring, .authenticating, .challenged(_, nil): false
    case .loggedOut, .challenged, .loggedIn, .renewing, .loggingOut: true
    }
  }

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
