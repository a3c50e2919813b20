import AuthAccounts
import AuthCore
import AuthDevice
import AuthFullScreen
import AuthMessages
import CommandLineKit
import Glibc

/// What ``AppWork``, which works at a database, and ``ProviderAppWork``, which works at an identity
/// provider, do in the same way.
protocol CommandAppWorker: AppWorker {
  var vault: FileVault { get }
  /// The backend whose changes the screen follows; nil at an identity provider.
  var database: (any Backend)? { get }
  /// Whether there are no accounts yet, so that the next one becomes the administrator.
  var isEmpty: Bool { get }
}

extension CommandAppWorker {
  func followChanges(look: (CommandError?) -> Void) async {
    while true {
      look(await failure(afterChanges: look))
      poll(nil, 0, 5_000)
    }
  }

  /// Looks at every change, until changes cannot be followed.
  // Not inlined, because Swift 6.3.1 crashes when it optimises a specialised copy of both in one.
  @inline(never) private func failure(afterChanges look: (CommandError?) -> Void) async -> CommandError {
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
      return CommandError(error)
    }
  }

  /// The page of the Machine tab.
  var machinePage: AppPage { machinePage(events: MachineTable.shipped.events(from:to:)) }
}
