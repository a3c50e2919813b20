package import AuthCore

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

  /// Creates a policy.
  public init(idle: Duration, absolute: Duration, fresh: Duration) {
    self.idle = idle
    self.absolute = absolute
    self.fresh = fresh
  }

  /// 30 minutes idle, 8 hours in all, 15 minutes fresh.
  public static let standard = SessionPolicy(
    idle: .seconds(30 * 60), absolute: .seconds(8 * 3600), fresh: .seconds(15 * 60))
}

extension SessionPolicy {
  /// How long an ended session is kept past its absolute limit, by the wall clock, so that its user
  /// can learn why it ended.
  package static let remembered: Int64 = 24 * 3600 * 1_000_000

  /// Activity is written down when the last one is older than this, or than a thirtieth of the idle
  /// limit where that is less: a session ends at most this much early, and a busy one does not
  /// write at every step.
  package static let activityStep: Int64 = 60_000_000_000

  /// How many uses of one ended session are recorded: enough to notice, too few to fill a disk.
  package static let notedUsesAfterEnd: Int64 = 16
}

/// The spans of one session, in nanoseconds.
package struct SessionSpans {
  package let idle: Int64
  package let absolute: Int64
  package let fresh: Int64

  /// What a policy gives to a request: the shorter of both.
  ///
  /// A wish below zero is zero.
  package init(_ policy: SessionPolicy, _ request: LimitRequest) {
    func shorter(_ own: Duration, _ wish: Duration?) -> Int64 {
      max(0, min(own, wish ?? own).wholeNanoseconds)
    }
    idle = shorter(policy.idle, request.idle)
    absolute = shorter(policy.absolute, request.absolute)
    fresh = max(0, policy.fresh.wholeNanoseconds)
  }
}
