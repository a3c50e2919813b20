/// The store's own time limits.
///
/// The limits of a session come from its authority.
public struct SessionTiming: Hashable, Sendable {
  /// How long a logout waits for each of its steps: for the leases, for the authority, for the vault.
  public let logoutStep: Duration
  /// How often activity may renew.
  public let renewal: RenewalPolicy
  /// Whether the store ends a session when its limit is reached while nothing else happens.
  public let watchesLimits: Bool

  /// Creates timing.
  ///
  /// - Parameters:
  ///   - logoutStep: The longest wait for one step of a logout.
  ///   - renewal: How often activity may renew.
  ///   - watchesLimits: Pass false in a process that ends before a limit could pass; it saves timers. The limits are still looked at
  ///     whenever a session begins or changes, and the step of a logout is limited only once it has let go of its thread.
  public init(
    logoutStep: Duration = .seconds(5), renewal: RenewalPolicy = RenewalPolicy(), watchesLimits: Bool = true
  ) {
    self.logoutStep = logoutStep
    self.renewal = renewal
    self.watchesLimits = watchesLimits
  }
}
