/// The store's own time limits.
///
/// The limits of a session come from its authority.
public struct SessionTiming: Hashable, Sendable {
  /// How long a logout waits for each of its steps: for the leases, for the authority, for the vault.
  public let logoutStep: Duration
  /// How long a renewal or a check waits for each answer of the authority or the vault.
  public let renewalStep: Duration
  /// How often activity may renew.
  public let renewal: RenewalPolicy
  /// Whether the store ends a session when its limit is reached while nothing else happens.
  public let watchesLimits: Bool

  /// Creates timing.
  ///
  /// - Parameters:
  ///   - logoutStep: The longest wait for one step of a logout.
  ///   - renewalStep: The longest wait for one answer in a renewal or a check. The session stands
  ///     when it is over; a write to the vault that is under way is waited for.
  ///   - renewal: How often activity may renew.
  ///   - watchesLimits: Pass false in a process that ends before a limit could pass; it saves timers. The limits are still looked at
  ///     whenever a session begins or changes, and a step of a logout, a renewal or a check is
  ///     limited only once it has let go of its thread.
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
