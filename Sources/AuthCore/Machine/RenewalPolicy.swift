/// How often activity may ask the authority for a renewal.
public struct RenewalPolicy: Hashable, Sendable {
  /// The length of a window.
  ///
  /// Activity within a window of the last renewal may not move the idle limit, so keep the window
  /// well below the authority's idle limit.
  package let window: Duration
  /// How many renewals may begin within a window, including failed ones.
  package let limit: Int

  /// Creates a policy.
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
      next.windowBegan = now
      next.begun = 1
    }
    return next
  }
}
