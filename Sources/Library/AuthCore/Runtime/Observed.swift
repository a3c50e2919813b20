import ConcurrencyKit
import Observation

/// A value whose readers are notified of its changes (Observation).
///
/// This type uses the registrar directly instead of the macro, so that `onChange` sees the new
/// value: the change comes before the signal. With the macro, `onChange` would see the old value.
final class Observed<Value: Equatable & Sendable>: Sendable {
  private let storage: Locked<Value>
  private let readers = Readers()

  init(_ value: Value) {
    storage = Locked(value)
  }

  var value: Value {
    readers.register()
    return storage.withLock { $0 }
  }

  /// Changes the value, and notifies its readers if it is another one.
  func change(_ body: (inout Value) -> Void) {
    let isNew = storage.withLock { value in
      let old = value
      body(&value)
      return value != old
    }
    if isNew { readers.signal() }
  }
}

/// The readers of one value.
///
/// The same type for values of all types: a key path into a generic type is made by a search
/// through the conformances of the whole program, which took a quarter of a short run.
private final class Readers: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private var value: Void { () }

  func register() { registrar.access(self, keyPath: \.value) }

  func signal() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
