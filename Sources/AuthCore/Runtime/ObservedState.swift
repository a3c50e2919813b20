import Observation

/// The signals of the `Observable` channel: something changed, read again.
///
/// This type uses the registrar directly. The store makes the change under its lock before the
/// signal, so that `onChange` already sees the new state; the macro's own order shows the old one.
final class ObservedState: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  /// What changes with every change of the session's state.
  ///
  /// It has no value.
  var state: Void { registrar.access(self, keyPath: \.state) }

  /// What changes with the key only.
  ///
  /// It has no value.
  var session: Void { registrar.access(self, keyPath: \.session) }

  /// Signals a change.
  func changed(withKey isOfKey: Bool) {
    registrar.withMutation(of: self, keyPath: \.state) {}
    if isOfKey { registrar.withMutation(of: self, keyPath: \.session) {} }
  }
}
