/// How often activity may ask the authority for a renewal.
///
/// A window begins with the first renewal after the last window. All renewals that begin in it
/// count, also those that fail: an authority that is down is not asked more often than one that
/// answers. What ``SessionStore/renew()`` then does depends on whether one of them succeeded.
public struct RenewalPolicy: Hashable, Sendable {
  /// The length of a window.
  package let window: Duration
  /// How many renewals may begin within a window, including failed ones.
  package let limit: Int

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - window: The length of a window. Activity within a window of the last renewal may not move
  ///     the idle limit, so keep it well below the authority's idle limit.
  ///   - limit: How many renewals may begin within a window, including failed ones; with 0, none.
  public init(window: Duration = .seconds(60), limit: Int = 3) {
    self.window = window
    self.limit = limit
  }
}

/// The renewals of a session in the present window; the count includes failed ones.
struct RenewalBudget {
  /// When the window began; nil before the first renewal.
  private var windowBegan: BootInstant?
  private var begun = 0
  /// Whether the authority noted activity in the window.
  var isNoted = false

  /// Takes one more renewal at `now`.
  ///
  /// - Returns: Why not, when the limit of the window is reached.
  mutating func spend(at now: BootInstant, under policy: RenewalPolicy) -> SessionError.Rejection? {
    if let windowBegan, windowBegan.boot == now.boot, now.uptime - windowBegan.uptime < policy.window {
      // The window goes on.
    } else {
      self = RenewalBudget()
      windowBegan = now
    }
    // A policy without renewals relies on none.
    guard begun < policy.limit else { return isNoted || policy.limit == 0 ? .renewedRecently : .renewalsFailed }
    begun += 1
    return nil
  }
}
