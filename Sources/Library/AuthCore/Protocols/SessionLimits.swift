/// The time when a session or a challenge ends.
///
/// A deadline is never optional or zero. Missing time data is ``unknown`` and counts as passed; a
/// session without that limit has ``never``. Libraries that stored "no date" for both never expired
/// a session. Frozen: a later version adds no case.
public enum Deadline: Hashable, Sendable {
  /// Ends at this instant.
  case at(BootInstant)
  /// Deliberately never ends.
  case never
  /// Unknown; counts as passed.
  case unknown
}

/// Which limit a session reached.
///
/// Frozen: a later version adds no case.
public enum LimitKind: Hashable, Sendable, CaseIterable {
  /// No activity for too long.
  case idle
  /// Too long since login, with or without activity.
  case absolute
}

/// The limits of one session.
///
/// Activity moves only ``idle``. The earlier of the idle and the absolute limit ends the session.
/// Vocabulary: OWASP Session Management Cheat Sheet, "Session Expiration"; NIST SP 800-63B-4,
/// section 5.2.
public struct SessionLimits: Hashable, Sendable {
  /// The time when the session ends without activity.
  public let idle: Deadline
  /// The time when the session ends in any case.
  public let absolute: Deadline
  /// The time until which the password counts as recently entered.
  public let fresh: Deadline

  /// Creates limits.
  public init(idle: Deadline, absolute: Deadline, fresh: Deadline) {
    self.idle = idle
    self.absolute = absolute
    self.fresh = fresh
  }

  /// Why a session with these limits has ended at `now`: which limit has passed, or that the
  /// computer was restarted since they were set.
  ///
  /// A restart takes precedence over a limit, and the absolute limit over the idle one. An
  /// authority answers with the reason:
  ///
  /// ```swift
  /// import AuthCore
  ///
  /// func check(
  ///   _ limits: SessionLimits, at now: BootInstant
  /// ) throws(AuthorityError<SessionRejection>) {
  ///   if let reason = limits.endReason(at: now) { throw .rejected(.ended(reason)) }
  /// }
  /// ```
  ///
  /// - Returns: Nil while the session is active.
  public func endReason(at now: BootInstant) -> EndReason? {
    switch (absolute.phase(at: now), idle.phase(at: now)) {
    case (.otherBoot, _), (_, .otherBoot): .rebooted
    case (.passed, _): .expired(.absolute)
    case (_, .passed): .expired(.idle)
    case (.ahead, .ahead): nil
    }
  }

  /// The time until the session ends without activity; nil if it never ends.
  public func timeLeft(at now: BootInstant) -> Duration? {
    [idle, absolute].compactMap { $0.timeLeft(at: now) }.min()
  }

  /// Whether the password was entered recently enough at `now`.
  package func isFresh(at now: BootInstant) -> Bool {
    fresh.phase(at: now) == .ahead
  }

  /// The earliest instant when the verdict can change, or nil without limits.
  package var earliest: BootInstant? {
    [idle, absolute].compactMap { if case .at(let instant) = $0 { instant } else { nil } }
      .min { $0.uptime < $1.uptime }
  }
}

extension Deadline {
  /// The time until the deadline, never negative; nil for ``never``.
  ///
  /// It is zero for ``unknown``, and in another boot, where the numbers have no meaning.
  public func timeLeft(at now: BootInstant) -> Duration? {
    switch self {
    case .at(let limit): limit.boot == now.boot ? max(.zero, limit.uptime - now.uptime) : .zero
    case .unknown: .zero
    case .never: nil
    }
  }

  package enum Phase { case ahead, passed, otherBoot }

  package func phase(at now: BootInstant) -> Phase {
    switch self {
    case .never: .ahead
    case .unknown: .passed
    case .at(let limit) where limit.boot != now.boot: .otherBoot
    case .at(let limit): now.uptime < limit.uptime ? .ahead : .passed
    }
  }
}
