import Observation
import Synchronization

/// Signals `Observable` readers to read the state again.
///
/// This type uses the registrar directly instead of the macro, so that `onChange` sees the new
/// state: the store makes the change under its lock before the signal. With the macro, `onChange`
/// would see the old state.
final class ObservedState: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  /// Whether any reader has read the state.
  ///
  /// Until then a signal has no receiver, so a short program need not create the key paths. A
  /// reader sets this before it reads the state, and the state changes before the signal. So a
  /// reader that misses the signal reads the new state.
  private let isLookedAt = Atomic<Bool>(false)

  /// Changes with every change of the session's state.
  ///
  /// It has no value.
  var state: Void { look(at: \.state) }

  /// Changes only with the key.
  ///
  /// It has no value.
  var session: Void { look(at: \.session) }

  private func look(at keyPath: KeyPath<ObservedState, Void>) {
    isLookedAt.store(true, ordering: .sequentiallyConsistent)
    registrar.access(self, keyPath: keyPath)
  }

  func changed(withKey isOfKey: Bool) {
    guard isLookedAt.load(ordering: .sequentiallyConsistent) else { return }
    registrar.withMutation(of: self, keyPath: \.state) {}
    if isOfKey { registrar.withMutation(of: self, keyPath: \.session) {} }
  }
}
