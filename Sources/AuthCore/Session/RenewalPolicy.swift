/// Limits how often activity may ask the authority for a renewal.
///
/// A window begins with the first renewal after the last window. All renewals that begin in it
/// count, including failed ones, so an authority that is down does not get more requests than one
/// that answers. At the limit, ``SessionStore/renew(within:)`` fails if none of them succeeded.
struct RenewalPolicy: Hashable, Sendable {
  /// The length of a window.
  ///
  /// Activity less than one window after the last renewal may not move the idle limit, so choose a
  /// window well below the authority's idle limit.
  var window = Duration.seconds(60)
  /// The number of renewals that may begin within a window, including failed ones; with 0, none.
  var limit = 3
}

/// Counts the renewals of a session in the current window, including failed ones.
struct RenewalBudget {
  /// When the window began; nil before the first renewal.
  private var windowBegan: BootInstant?
  private var begun = 0
  /// Whether the authority noted activity in the window.
  var isNoted = false

  /// Counts one more renewal at `now`.
  ///
  /// - Returns: Nil if it is permitted; otherwise the answer, because the limit of the window is
  ///   reached.
  mutating func spend(at now: BootInstant, under policy: RenewalPolicy) -> Reaction? {
    let continues = windowBegan.map { $0.boot == now.boot && now.uptime - $0.uptime < policy.window } ?? false
    if !continues { self = RenewalBudget(windowBegan: now) }
    // A policy without renewals needs none to succeed.
    guard begun < policy.limit else {
      let isRecent = isNoted || policy.limit == 0
      return isRecent ? .ignored(.renewedRecently) : .rejected(.renewalsFailed)
    }
    begun += 1
    return nil
  }
}
