/// The store's own time limits.
///
/// The limits of a session come from its authority; these are the limits for each step of each
/// command. A step that exceeds its limit fails with ``SessionError/unavailable(_:)``, or with
/// ``SessionError/notSaved(_:)`` if the vault did not answer: nothing has changed. A result that
/// arrives later is stale: the store revokes a session that it began, and undoes a late write.
public struct SessionTiming: Hashable, Sendable {
  /// The longest wait for each step of a logout: the leases, the authority, the vault.
  package let logoutStep: Duration
  /// The longest wait for the authority to check a password or a code.
  package let loginStep: Duration
  /// The longest wait for the authority or the vault in any other step.
  package let renewalStep: Duration
  /// How often activity may renew.
  var renewal = RenewalPolicy()
  /// Whether a timer ends a session that reaches its limit.
  package let watchesLimits: Bool

  /// Creates timing.
  ///
  /// - Parameters:
  ///   - logoutStep: The longest wait for one step of a logout.
  ///   - loginStep: The longest wait for the authority when it checks a password or the answer to a
  ///     challenge. The default fits a slow network. It does not include the time in which a user
  ///     types a code, unless your authority itself prompts the user, such as in a browser.
  ///   - renewalStep: The longest wait for any other answer of the authority or the vault: when a
  ///     session is restored, renewed, checked or saved.
  ///   - watchesLimits: Pass false in a process that ends before a session can reach a limit; this
  ///     saves timers. The store still checks the limits whenever a session begins or changes. The
  ///     time limit of a step then starts only when the step first suspends.
  public init(
    logoutStep: Duration = .seconds(5), loginStep: Duration = .seconds(60), renewalStep: Duration = .seconds(30),
    watchesLimits: Bool = true
  ) {
    self.logoutStep = logoutStep
    self.loginStep = loginStep
    self.renewalStep = renewalStep
    self.watchesLimits = watchesLimits
  }
}
