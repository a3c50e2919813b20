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

/// The renewals begun in the present window; the count includes failed ones.
package struct RenewalBudget: Hashable, Sendable {
  /// When the window began; nil before the first renewal.
  package var windowBegan: BootInstant?
  /// Renewals begun in it.
  package var begun = 0
  /// Whether the authority noted activity in it.
  package var isNoted = false

  /// Creates an unused budget.
  package init() {}

  /// The budget after one more renewal at `now`, or nil when the limit of the window is reached.
  func spending(at now: BootInstant, under policy: RenewalPolicy) -> RenewalBudget? {
    guard policy.limit > 0 else { return nil }
    var next = self
    if let windowBegan, windowBegan.boot == now.boot, now.uptime - windowBegan.uptime < policy.window {
      guard begun < policy.limit else { return nil }
      next.begun += 1
    } else {
      next = RenewalBudget()
      next.windowBegan = now
      next.begun = 1
    }
    return next
  }

  /// The budget after the authority noted activity.
  var noted: RenewalBudget {
    var next = self
    next.isNoted = true
    return next
  }
}
