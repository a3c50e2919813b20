import Observation
import Synchronization

/// The signals of the `Observable` channel: something changed, read again.
///
/// This type uses the registrar directly. The store makes the change under its lock before the
/// signal, so that `onChange` already sees the new state; the macro's own order shows the old one.
final class ObservedState: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  /// Whether anybody has looked.
  ///
  /// Until then a signal reaches nobody, and a short program need not make its key paths. A reader
  /// sets this before it reads the state, and the state changes before the signal. So a reader who
  /// misses the signal reads the new state.
  private let isLookedAt = Atomic<Bool>(false)

  /// What changes with every change of the session's state.
  ///
  /// It has no value.
  var state: Void { look(at: \.state) }

  /// What changes with the key only.
  ///
  /// It has no value.
  var session: Void { look(at: \.session) }

  private func look(at keyPath: KeyPath<ObservedState, Void>) {
    isLookedAt.store(true, ordering: .sequentiallyConsistent)
    registrar.access(self, keyPath: keyPath)
  }

  /// Signals a change.
  func changed(withKey isOfKey: Bool) {
    guard isLookedAt.load(ordering: .sequentiallyConsistent) else { return }
    registrar.withMutation(of: self, keyPath: \.state) {}
    if isOfKey { registrar.withMutation(of: self, keyPath: \.session) {} }
  }
}
