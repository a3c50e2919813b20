import Guards
public import Observation

/// The key of an open screen: the newest key, and the reason of the dismissal.
///
/// A ``GuardedScreen`` holds one and forwards `follow` and `dismiss` to it, so that its code always
/// has the present user. (Keys that follow the user live.) It is `Observable`: a SwiftUI view that
/// reads ``session`` or ``dismissal`` is drawn again when that changes.
public final class LiveKey: Observable, Sendable {
  private struct Storage {
    var session: LoggedInSession
    var dismissal: EndReason?
    var observers: [@Sendable () -> Void] = []
  }

  private let storage: Locked<Storage>
  private let registrar = ObservationRegistrar()

  /// Starts with the key that opens the screen.
  public init(_ session: LoggedInSession) {
    storage = Locked(Storage(session: session))
  }

  /// The newest key.
  ///
  /// After a dismissal it is the last key, which says that it is dead.
  public var session: LoggedInSession {
    registrar.access(self, keyPath: \.session)
    return storage.withLock { $0.session }
  }

  /// Why the screen was dismissed, or nil while it is open.
  public var dismissal: EndReason? {
    registrar.access(self, keyPath: \.dismissal)
    return storage.withLock { $0.dismissal }
  }

  /// Calls `body` now, and after every change from now on, for as long as the key is there.
  ///
  /// It is a signal to read ``session`` and ``dismissal`` again, with no lock held, on whichever
  /// thread the change happened: have it wake the thread or the actor that draws.
  package func onChange(_ body: @escaping @Sendable () -> Void) {
    storage.withLock { $0.observers.append(body) }
    body()
  }

  /// Takes the new key.
  public func follow(_ session: LoggedInSession) {
    let observers = storage.withLock { storage in
      storage.session = session
      return storage.observers
    }
    // The change comes before the signal, so that `onChange` of the observer sees it.
    registrar.withMutation(of: self, keyPath: \.session) {}
    for observer in observers { observer() }
  }

  /// Notes that the screen is dismissed.
  ///
  /// The first reason stays.
  public func dismiss(_ reason: EndReason) {
    let observers = storage.withLock { storage in
      if storage.dismissal == nil { storage.dismissal = reason }
      return storage.observers
    }
    registrar.withMutation(of: self, keyPath: \.dismissal) {}
    for observer in observers { observer() }
  }
}
