import AuthCoreTesting
import ConcurrencyKit
import Dispatch

/// Can block the callers of an authority, as a password hash or a disk would, and records their
/// threads.
final class Blocker: Sendable {
  private let state = Locked((isShut: false, blocked: 0, callers: Set<String>()))
  private let gate = DispatchSemaphore(value: 0)

  /// The number of calls that have blocked.
  var blockedCalls: Int { state.withLock { $0.blocked } }
  var callers: Set<String> { state.withLock { $0.callers } }

  init(_ authority: ScriptedAuthority) { authority.onCall { self.blockIfShut() } }

  /// Makes calls block from now on.
  func shut() { state.withLock { $0.isShut = true } }

  /// Releases all calls.
  func open() {
    state.withLock { $0.isShut = false }
    gate.signal()
  }

  private func blockIfShut() {
    let blocks = state.withLock { state in
      state.callers.insert(currentThread())
      if state.isShut { state.blocked += 1 }
      return state.isShut
    }
    guard blocks else { return }
    gate.wait()
    // Each released call also releases the next one.
    gate.signal()
  }
}
