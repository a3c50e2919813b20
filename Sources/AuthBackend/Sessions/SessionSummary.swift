public import AuthCore

/// An active session in the list of its user's sessions.
public struct SessionSummary: Hashable, Sendable {
  /// Its public name.
  public let id: SessionID
  /// Whether it is the one that asked.
  public let isCurrent: Bool
  /// What it was called when it began, if anything.
  public let label: String?
  /// Where it was begun, if that is known.
  public let origin: SessionOrigin?
  /// When it began, by the wall clock.
  public let createdAt: WallTime
  /// When it was last active, by the wall clock, to a minute.
  public let activeAt: WallTime
  /// Until when.
  public let limits: SessionLimits

  /// Creates a value, for a backend to answer with.
  public init(
    id: SessionID, isCurrent: Bool, label: String?, origin: SessionOrigin? = nil, createdAt: WallTime,
    activeAt: WallTime, limits: SessionLimits
  ) {
    self.id = id
    self.isCurrent = isCurrent
    self.label = label
    self.origin = origin
    self.createdAt = createdAt
    self.activeAt = activeAt
    self.limits = limits
  }
}
