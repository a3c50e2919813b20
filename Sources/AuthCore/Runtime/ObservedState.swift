import Observation

/// Signals `Observable` readers to read the state again.
///
/// This type uses the registrar directly instead of the macro, so that `onChange` sees the new
/// state: the store makes the change under its lock before the signal. With the macro, `onChange`
/// would see the old state.
final class ObservedState: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  /// Changes with every change of the session's state.
  ///
  /// It has no value.
  var state: Void { registrar.access(self, keyPath: \.state) }

  /// Changes only with the key.
  ///
  /// It has no value.
  var session: Void { registrar.access(self, keyPath: \.session) }

  func changed(withKey isOfKey: Bool) {
    registrar.withMutation(of: self, keyPath: \.state) {}
    if isOfKey { registrar.withMutation(of: self, keyPath: \.session) {} }
  }
}
