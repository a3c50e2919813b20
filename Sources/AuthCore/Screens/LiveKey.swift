import Guards
public import Observation

/// The key of an open screen: the newest key, and the reason of the dismissal.
///
/// A ``GuardedScreen`` holds one and forwards `follow` and `dismiss` to it, so that its code always
/// has the current user. It is `Observable`: a SwiftUI view that reads ``session`` or ``dismissal``
/// is redrawn when that changes.
public final class LiveKey: Observable, Sendable {
  private struct Storage {
    var session: LoggedInSession
    var dismissal: EndReason?
  }

  private let storage: Locked<Storage>
  private let registrar = ObservationRegistrar()

  /// Starts with the key that opens the screen.
  public init(_ session: LoggedInSession) {
    storage = Locked(Storage(session: session))
  }

  /// The newest key.
  ///
  /// After a dismissal it is the last key, which is no longer live.
  public var session: LoggedInSession {
    registrar.access(self, keyPath: \.session)
    return storage.withLock { $0.session }
  }

  /// Why the screen was dismissed, or nil while it is open.
  public var dismissal: EndReason? {
    registrar.access(self, keyPath: \.dismissal)
    return storage.withLock { $0.dismissal }
  }

  /// Takes the new key.
  public func follow(_ session: LoggedInSession) {
    // The change comes before the signal, so that an observer sees it.
    storage.withLock { $0.session = session }
    registrar.withMutation(of: self, keyPath: \.session) {}
  }

  /// Records that the screen is dismissed.
  ///
  /// A second call keeps the first reason.
  public func dismiss(_ reason: EndReason) {
    storage.withLock { $0.dismissal = $0.dismissal ?? reason }
    registrar.withMutation(of: self, keyPath: \.dismissal) {}
  }
}
