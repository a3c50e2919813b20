import ConcurrencyKit
import Dispatch
import Races
import Testing

@testable import AuthCore

/// Runs `body` while another thread, which made `change`, is inside a call of an observer, so that
/// this thread delivers no notification of the store.
func whileNotifying(
  _ store: SessionStore, of change: @escaping @Sendable () async throws -> Void,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async throws {
  let (entered, release) = (Promise<Void>(), DispatchSemaphore(value: 0))
  let first = store.revision
  store.core.start(
    Observer { news in
      guard case .change(let change) = news, change.revision > first, case .loggedIn = change.snapshot else {
        return true
      }
      entered.fulfil(())
      release.wait()
      return false
    })
  let worker = OwnThread { startAtOnce { try? await change() } }
  await entered.valueUncancelled()
  do {
    try await body()
  } catch {
    release.signal()
    throw error
  }
  release.signal()
  _ = try await worker.result
  await store.quiet()
}
