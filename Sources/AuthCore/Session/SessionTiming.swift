/// The store's own time limits.
///
/// The limits of a session come from its authority. Each step of each command has a limit here. A
/// step that exceeds it fails with ``SessionError/unavailable(_:)``, or with
/// ``SessionError/notSaved(_:)`` when the vault did not answer: nothing has changed. What arrives
/// later is a stale result: a session that it begins is revoked, and a late write is undone.
public struct SessionTiming: Hashable, Sendable {
  /// How long a logout waits for each of its steps: the leases, the authority, the vault.
  package let logoutStep: Duration
  /// How long the check of a password or a code waits for the authority.
  package let loginStep: Duration
  /// How long any other step waits for the authority or the vault.
  package let renewalStep: Duration
  /// How often activity may renew.
  package let renewal: RenewalPolicy
  /// Whether a timer ends a session that reaches its limit.
  package let watchesLimits: Bool

  /// Creates timing.
  ///
  /// - Parameters:
  ///   - logoutStep: The longest wait for one step of a logout.
  ///   - loginStep: The longest wait for the authority when it checks a password or the answer to a
  ///     challenge. The default fits a slow network. The time in which a person types a code is not
  ///     part of it; but if your authority asks the person itself, such as in a browser, it is.
  ///   - renewalStep: The longest wait for any other answer of the authority or the vault: when a
  ///     session is restored, renewed, checked or saved.
  ///   - renewal: How often activity may renew.
  ///   - watchesLimits: Pass false in a process that ends before a session could reach a limit;
  ///     this saves timers. The store still checks the limits whenever a session begins or changes.
  ///     A step then gets its time limit only when it first suspends.
  public init(
    logoutStep: Duration = .seconds(5), loginStep: Duration = .seconds(60), renewalStep: Duration = .seconds(30),
    renewal: RenewalPolicy = RenewalPolicy(), watchesLimits: Bool = true
  ) {
    self.logoutStep = logoutStep
    self.loginStep = loginStep
    self.renewalStep = renewalStep
    self.renewal = renewal
    self.watchesLimits = watchesLimits
  }
}
