import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit

extension Workspace {
  /// Opens a screen of whoever is logged in; without a session there is none to open.
  func open<Screen: GuardedScreen & Sendable>(
    _: Screen.Type, isActivity: Bool = true
  ) async throws(CommandError) -> Screen {
    _ = isActivity ? try await activeSession() : try await session()
    guard let screen = store.open(Screen.self) else { throw CommandError(code: .notLoggedIn) }
    return screen
  }

  /// The stronger key of an administrator.
  func administrator(_ session: LoggedInSession) throws(CommandError) -> AdminSession {
    do throws(RoleError) {
      return try AdminSession(session)
    } catch {
      throw CommandError(error)
    }
  }

  /// Asks the backend something that an administrator with a recent password may ask.
  func askAsAdministrator<Value>(
    _ question: (AdminSession, FreshSession, borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    let session = try await activeSession()
    // The role comes first, so that no password is asked for in vain.
    _ = try administrator(session)
    let fresh = try await fresh(session)
    let administrator = try administrator(fresh.session)
    return try await ask(fresh.session) { (lease) throws(BackendError) in try question(administrator, fresh, lease) }
  }

  /// The balance; nil where it cannot be told now, which the next command explains.
  func balance(_ session: LoggedInSession) async -> String? {
    do throws(CommandError) {
      return try await ask(session) { (lease) throws(BackendError) in
        Amount.text(try backend.profile(under: lease).balance)
      }
    } catch {
      return nil
    }
  }

  /// Looks again after the session was ended at the authority, so that this device forgets it too.
  func forgetRevoked() async {
    // Ended is the expected answer; anything else is found out by the next command.
    do throws(SessionError) { try await store.check() } catch {}
  }

  /// Checks a value of the domain.
  func valid<Value>(_ make: () throws(BackendError) -> Value) throws(CommandError) -> Value {
    do throws(BackendError) {
      return try make()
    } catch {
      throw CommandError(error)
    }
  }

  /// The command for the next page: this one, with what shaped its page, and where the next begins.
  func more(_ command: [String], limit: Int) -> Hint {
    "More: \(run: command + (limit == Options.pageLength ? [] : ["--limit", String(limit)]))"
  }

  /// The navigation bar, on a terminal.
  func bar(_ title: String) -> [String] {
    let output = printer.streams.output
    guard output.isTerminal else { return [] }
    return [Bar(title: title, bar: NavigationBar(store: store)).line(width: output.width, style: output.style), ""]
  }

  /// The lines of a table, fitted to a terminal.
  func lines(_ table: Table) -> [String] {
    let output = printer.streams.output
    return table.lines(width: output.isTerminal ? output.width : nil)
  }
}
