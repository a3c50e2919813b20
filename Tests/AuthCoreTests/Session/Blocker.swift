import AuthCoreTesting
import Dispatch
import Guards
import Synchronization

/// Can block the callers of an authority, as a password hash or a disk would, and records their
/// threads.
final class Blocker: Sendable {
  private let isShut = Atomic<Bool>(false)
  private let gate = DispatchSemaphore(value: 0)
  private let blocked = Atomic<Int>(0)
  private let threads = Locked<Set<String>>([])

  /// The number of calls that have blocked.
  var blockedCalls: Int { blocked.load(ordering: .sequentiallyConsistent) }
  var callers: Set<String> { threads.withLock { $0 } }

  init(_ authority: ScriptedAuthority) { authority.onCall { self.blockIfShut() } }

  /// Makes calls block from now on.
  func shut() { isShut.store(true, ordering: .sequentiallyConsistent) }

  /// Releases all calls.
  func open() {
    isShut.store(false, ordering: .sequentiallyConsistent)
    gate.signal()
  }

  private func blockIfShut() {
    _ = threads.withLock { $0.insert(currentThread()) }
    guard isShut.load(ordering: .sequentiallyConsistent) else { return }
    blocked.add(1, ordering: .sequentiallyConsistent)
    gate.wait()
    // Each released call also releases the next one.
    gate.signal()
  }
}
