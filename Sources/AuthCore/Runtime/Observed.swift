import Guards
import Observation

/// A value whose readers are notified of its changes (Observation).
///
/// This type uses the registrar directly instead of the macro, so that `onChange` sees the new
/// value: the change comes before the signal. With the macro, `onChange` would see the old value.
final class Observed<Value: Sendable>: Observable, Sendable {
  private let storage: Locked<Value>
  private let registrar = ObservationRegistrar()

  init(_ value: Value) {
    storage = Locked(value)
  }

  var value: Value {
    registrar.access(self, keyPath: \.value)
    return storage.withLock { $0 }
  }

  /// Changes the value, and notifies its readers.
  func change(_ body: (inout Value) -> Void) {
    storage.withLock { body(&$0) }
    registrar.withMutation(of: self, keyPath: \.value) {}
  }
}

extension Observed where Value: Equatable {
  /// Sets the value, and notifies its readers if it is another one.
  func set(_ new: Value) {
    let isNew = storage.withLock { value in
      defer { value = new }
      return value != new
    }
    if isNew { registrar.withMutation(of: self, keyPath: \.value) {} }
  }
}
