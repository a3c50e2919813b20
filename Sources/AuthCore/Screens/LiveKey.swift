import Guards

/// The key of an open screen: the newest key, and the reason of the dismissal.
///
/// A ``GuardedScreen`` holds one and forwards `follow` and `dismiss` to it, so that its code always
/// has the present user. (Keys that follow the user live.)
public final class LiveKey: Sendable {
  private struct Storage {
    var session: LoggedInSession
    var dismissal: EndReason?
  }

  private let storage: Locked<Storage>

  /// Starts with the key that opens the screen.
  public init(_ session: LoggedInSession) {
    storage = Locked(Storage(session: session))
  }

  /// The newest key.
  ///
  /// After a dismissal it is the last key, which says that it is dead.
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
