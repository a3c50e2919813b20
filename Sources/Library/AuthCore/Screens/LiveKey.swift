public import Observation

/// The key of an open screen: the newest key, and the reason of the dismissal.
///
/// A ``GuardedScreen`` holds one and forwards `follow` and `dismiss` to it, so that its code always
/// has the current user. It is `Observable`: a SwiftUI view that reads ``session`` or ``dismissal``
/// is redrawn when that changes.
public final class LiveKey: Observable, Sendable {
  private let newest: Observed<LoggedInSession>
  private let end = Observed<EndReason?>(nil)

  /// Starts with the key that opens the screen.
  public init(_ session: LoggedInSession) {
    newest = Observed(session)
  }

  /// The newest key.
  ///
  /// After a dismissal it is the last key, which is no longer live.
  public var session: LoggedInSession { newest.value }

  /// Why the screen was dismissed, or nil while it is open.
  public var dismissal: EndReason? { end.value }

  /// Takes the new key.
  public func follow(_ session: LoggedInSession) {
    newest.change { $0 = session }
  }

  /// Records that the screen is dismissed.
  ///
  /// A second call keeps the first reason.
  public func dismiss(_ reason: EndReason) {
    end.change { $0 = $0 ?? reason }
  }
}
