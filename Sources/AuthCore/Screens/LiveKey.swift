import Guards

/// The key of an open screen: the newest one it was handed, and whether the screen was dismissed.
///
/// A ``GuardedScreen`` holds one and passes on what it is told, so that its code always has the user of now.
/// (Keys that follow the user live.)
public final class LiveKey: Sendable {
  private struct Storage {
    var session: LoggedInSession
    var dismissal: EndReason?
  }

  private let storage: Locked<Storage>

  /// Begins with the key that opens the screen.
  public init(_ session: LoggedInSession) {
    storage = Locked(Storage(session: session))
  }

  /// The newest key.
  ///
  /// After a dismissal it is the last one, which says that it is dead.
  public var session: LoggedInSession { storage.withLock { $0.session } }

  /// Why the screen was dismissed, or nil while it is open.
  public var dismissal: EndReason? { storage.withLock { $0.dismissal } }

  /// Takes the new key.
  public func follow(_ session: LoggedInSession) {
    storage.withLock { $0.session = session }
  }

  /// Notes that the screen is dismissed.
  ///
  /// The first reason stays.
  public func dismiss(_ reason: EndReason) {
    storage.withLock { storage in
      if storage.dismissal == nil { storage.dismissal = reason }
    }
  }
}
