/// The time when a session or a challenge ends.
///
/// A deadline is never optional or zero. Missing time data is ``missing`` and counts as passed; a
/// limit that is deliberately switched off is ``off``. Libraries that stored "no date" for both
/// never expired a session.
public enum Deadline: Hashable, Sendable {
  /// Ends at this instant.
  case at(BootInstant)
  /// Deliberately never ends.
  case off
  /// Unknown; counts as passed.
  case missing
}

/// Which limit a session reached.
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

  /// The status of the session at one instant, according to its limits.
  package enum Verdict: Hashable, Sendable {
    /// No limit is reached.
    case live
    /// This limit is reached or missing.
    case expired(LimitKind)
    /// The limits were set in another boot and have no meaning now.
    case rebooted
  }

  /// Checks the limits at `now`.
  ///
  /// A restart takes precedence over an expired limit, and the absolute limit over the idle one.
  package func verdict(at now: BootInstant) -> Verdict {
    switch (absolute.phase(at: now), idle.phase(at: now)) {
    case (.otherBoot, _), (_, .otherBoot): .rebooted
    case (.passed, _): .expired(.absolute)
    case (_, .passed): .expired(.idle)
    case (.ahead, .ahead): .live
    }
  }

  /// Whether the password was entered recently enough at `now`.
  package func isFresh(at now: BootInstant) -> Bool {
    fresh.phase(at: now) == .ahead
  }

  /// The earliest instant when the verdict can change, or nil without limits.
  package var earliest: BootInstant? {
    switch (idle, absolute) {
    case (.at(let first), .at(let second)): first.uptime <= second.uptime ? first : second
    case (.at(let only), _), (_, .at(let only)): only
    case (.off, _), (.missing, _): nil
    }
  }
}

extension Deadline {
  package enum Phase { case ahead, passed, otherBoot }

  package func phase(at now: BootInstant) -> Phase {
    switch self {
    case .off: .ahead
    case .missing: .passed
    case .at(let limit) where limit.boot != now.boot: .otherBoot
    case .at(let limit): now.uptime < limit.uptime ? .ahead : .passed
    }
  }
}
