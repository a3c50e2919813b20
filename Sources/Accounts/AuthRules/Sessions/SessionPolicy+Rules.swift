package import AuthAccounts
import AuthCore

/// What only the rules need of the limits of sessions.
extension SessionPolicy {
  /// How long an ended session is kept past its absolute limit, by the wall clock, so that its user
  /// can learn why it ended.
  package static let remembered: Duration = .seconds(24 * 3600)

  /// Activity is written down when the last one is older than this, or than a thirtieth of the idle
  /// limit where that is less: a session ends at most this much early, and a busy one does not
  /// write at every step.
  package static let activityStep: Duration = .seconds(60)

  /// How much later than the present the last activity of a session may be, because the clocks of
  /// two servers differ.
  package static let clockTolerance: Duration = .seconds(60)

  /// How many uses of one ended session are recorded: enough to notice, too few to fill a disk.
  package static let notedUsesAfterEnd: Int64 = 16

  /// The limits of a session that requests these: the shorter of both.
  ///
  /// A wish below zero is zero.
  func limited(to request: LimitRequest) -> SessionPolicy {
    func shorter(_ own: Duration, _ wish: Duration?) -> Duration { max(.zero, min(own, wish ?? own)).stored }
    let absolute = shorter(absolute, request.absolute)
    return SessionPolicy(
      idle: shorter(idle, request.idle), absolute: absolute, fresh: min(shorter(fresh, nil), absolute))
  }

  /// When a session that gets these limits now may be deleted.
  func purgeTime(from now: WallTime) -> WallTime { now + (absolute + Self.remembered) }
}
