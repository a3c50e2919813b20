/// The store's own time limits.
///
/// The limits of a session come from its authority.
public struct SessionTiming: Hashable, Sendable {
  /// How long a logout waits for each of its steps: the leases, the authority, the vault.
  package let logoutStep: Duration
  /// How long a renewal or a check waits for each answer of the authority or the vault.
  package let renewalStep: Duration
  /// How often activity may renew.
  package let renewal: RenewalPolicy
  /// Whether a timer ends a session that reaches its limit.
  package let watchesLimits: Bool

  /// Creates timing.
  ///
  /// - Parameters:
  ///   - logoutStep: The longest wait for one step of a logout.
  ///   - renewalStep: The longest wait for one answer in a renewal or a check. After it the session
  ///     goes on. A write to the vault that is under way has no limit.
  ///   - renewal: How often activity may renew.
  ///   - watchesLimits: Pass false in a process that ends before a session could reach a limit;
  ///     this saves timers. The store still checks the limits whenever a session begins or changes.
  ///     A step of a logout, a renewal or a check then gets its time limit only when it first
  ///     suspends.
  public init(
    logoutStep: Duration = .seconds(5), renewalStep: Duration = .seconds(30),
    renewal: RenewalPolicy = RenewalPolicy(), watchesLimits: Bool = true
  ) {
    self.logoutStep = logoutStep
    self.renewalStep = renewalStep
    self.renewal = renewal
    self.watchesLimits = watchesLimits
  }
}
