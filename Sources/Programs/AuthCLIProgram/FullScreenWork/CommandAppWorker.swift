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

/// Calls `check` at every change, and does not return; see ``AppWorker/followChanges(check:)``.
// It takes any worker and is not inlined: of a copy for one of them, Swift 6.3.1 crashes in its
// optimiser, or makes code that follows nothing.
@inline(never) func follow(_ worker: any CommandAppWorker, _ check: @Sendable (CommandError?) -> Void) async {
  while true {
    let problem: CommandError
    do throws(BackendError) {
      let changes = try ChangeWait(worker.vault, worker.database)
      var isListening = try changes.listen()
      while true {
        check(nil)
        // A service reports only the changes of a session that it knows: wait until the first check
        // has found it.
        for await change in worker.store.transitions {
          guard case .restoring(nil, _) = change.snapshot else { break }
        }
        let wasEmpty = worker.isEmpty
        var isDatabaseAlone: Bool
        repeat {
          // A deleted directory cannot be watched: check every 2 seconds whether it is back.
          isDatabaseAlone = try changes.wait(atMost: .seconds(isListening ? 86_400 : 2))
          isListening = try changes.listen()
          // Without a session, only a new session file or the first account changes the screen, so
          // other changes of the database are skipped.
        } while isDatabaseAlone && worker.store.session == nil && !wasEmpty
      }
    } catch {
      problem = CommandError(error)
    }
    check(problem)
    poll(nil, 0, 5_000)
  }
}

extension CommandAppWorker {
  func followChanges(check: @Sendable (CommandError?) -> Void) async { await follow(self, check) }

  /// The page of the Machine tab.
  var machinePage: AppPage { machinePage(events: MachineTable.shipped.events(from:to:)) }
}
