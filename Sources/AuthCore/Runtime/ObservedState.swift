import Observation

/// The signal of the `Observable` channel: something changed, read again.
///
/// This type uses the registrar directly. The store makes the change under its lock before the
/// signal, so that `onChange` already sees the new state; the macro's own order shows the old one.
final class ObservedState: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  /// The property that observers track.
  ///
  /// It has no value.
  var state: Void { registrar.access(self, keyPath: \.state) }

  func changed() {
    registrar.withMutation(of: self, keyPath: \.state) {}
  }
}
