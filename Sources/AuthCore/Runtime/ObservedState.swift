import Observation

/// The signal of the `Observable` channel: something changed, read again.
///
/// The registrar is used by hand, and the change is made under the store's lock before the signal, so that `onChange` already sees the new
/// state; the macro's own order shows the old one.
final class ObservedState: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  /// What observers track.
  ///
  /// It has no value of its own.
  var state: Void { registrar.access(self, keyPath: \.state) }

  func changed() {
    registrar.withMutation(of: self, keyPath: \.state) {}
  }
}
