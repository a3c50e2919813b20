import AuthBackend
import AuthCore
import CommandLineKit

extension Workspace {
  /// Opens a screen of whoever is logged in; without a session there is none to open.
  func open<Screen: GuardedScreen & Sendable>(
    _: Screen.Type, isActivity: Bool = true
  ) async throws(CommandError) -> Screen {
    _ = isActivity ? try await activeSession() : try await session()
    guard let screen = Screen(store) else { throw .notLoggedIn }
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

  /// The lines of a table, fitted to a terminal.
  func lines(_ table: Table) -> [String] {
    let output = printer.streams.output
    return table.lines(width: output.isTerminal ? output.width : nil)
  }
}
