/// Limits how often activity, and requests for access tokens, may ask the authority for a renewal.
///
/// A window begins with the first renewal after the last window. All renewals that begin in it
/// count, including failed ones, so an authority that is down does not get more requests than one
/// that answers. At the limit, ``SessionStore/renew(within:)`` fails if none of them succeeded.
struct RenewalPolicy: Hashable, Sendable {
  /// The length of a window, which is shorter for a short idle limit or a short access token.
  var window = Duration.seconds(60)
  /// The number of renewals that may begin within a window, including failed ones; with 0, none.
  var limit = 3
}

/// Why a session is renewed.
enum RenewalCause: Sendable {
  /// A user was active.
  case activity
  /// A caller needs an access token: the renewal begins only while the session has this one, or
  /// none.
  case access(known: AccessToken?)
  /// The session would end otherwise; `keepAlive` limits itself.
  case keepAlive
}

/// Counts the renewals of a session for one cause in the current window, including failed ones.
struct RenewalBudget {
  /// When the window began; nil before the first renewal.
  private var windowBegan: BootInstant?
  private var window = Duration.zero
  private var begun = 0
  /// Whether the authority noted activity in the window.
  var isNoted = false

  /// Counts one more renewal at `now`.
  ///
  /// - Parameters:
  ///   - now: The time of the renewal.
  ///   - policy: The limit.
  ///   - left: The time until the session or the access token ends without a renewal; nil if it
  ///     does not. A window takes at most a quarter of it, so that a needed renewal comes in time.
  /// - Returns: Nil if it is permitted; otherwise the answer, because the limit of the window is
  ///   reached.
  mutating func consume(at now: BootInstant, under policy: RenewalPolicy, before left: Duration?) -> Reaction? {
    let continues = windowBegan.map { $0.boot == now.boot && now.uptime - $0.uptime < window } ?? false
    if !continues {
      let quarter = left.map { max($0 / 4, .seconds(1)) } ?? policy.window
      self = RenewalBudget(windowBegan: now, window: min(policy.window, quarter))
    }
    // A policy without renewals needs none to succeed.
    guard begun < policy.limit else {
      let isRecent = isNoted || policy.limit == 0
      return isRecent ? .ignored(.renewedRecently) : .rejected(.renewalsFailed)
    }
    begun += 1
    return nil
  }
}
