import AuthCore

/// The limits that sessions get.
///
/// A login may ask for shorter ones, never for longer.
/// Source: NIST SP 800-63B-4, section 2.2.3 (AAL2: 24 h, 1 h idle), and OWASP Session Management
/// Cheat Sheet, "Session Expiration"; both allow longer than these.
public struct SessionPolicy: Hashable, Sendable {
  /// How long a session lives without activity.
  public let idle: Duration
  /// How long a session lives at most.
  public let absolute: Duration
  /// How long a password counts as recently entered.
  public let fresh: Duration

  /// Creates a policy from its limits.
  public init(idle: Duration, absolute: Duration, fresh: Duration) {
    self.idle = idle
    self.absolute = absolute
    self.fresh = fresh
  }

  /// 30 minutes idle, 8 hours in all, 15 minutes fresh.
  public static let standard = SessionPolicy(
    idle: .seconds(30 * 60), absolute: .seconds(8 * 3600), fresh: .seconds(15 * 60))
}
