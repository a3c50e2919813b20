import Guards
import Observation

/// A value whose readers are notified of its changes (Observation).
///
/// This type uses the registrar directly instead of the macro, so that `onChange` sees the new
/// value: the change comes before the signal. With the macro, `onChange` would see the old value.
final class Observed<Value: Equatable & Sendable>: Observable, Sendable {
  private let storage: Locked<Value>
  private let registrar = ObservationRegistrar()

  init(_ value: Value) {
    storage = Locked(value)
  }

  var value: Value {
    registrar.access(self, keyPath: \.value)
    return storage.withLock { $0 }
  }

  /// Changes the value, and notifies its readers if it is another one.
  func change(_ body: (inout Value) -> Void) {
    let isNew = storage.withLock { value in
      let old = value
      body(&value)
      return value != old
    }
    if isNew { registrar.withMutation(of: self, keyPath: \.value) {} }
  }
}
