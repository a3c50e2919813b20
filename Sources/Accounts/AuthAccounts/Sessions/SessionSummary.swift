package import AuthCore

/// An active session in the list of its user's sessions.
package struct SessionSummary: Hashable, Sendable {
  /// The public name of the session.
  package let id: SessionID
  /// Whether it is the one that asked.
  package let isCurrent: Bool
  /// What it was called when it began, if anything.
  package let label: String?
  /// Where it was begun, if that is known.
  package let origin: SessionOrigin?
  /// When it began, by the wall clock.
  package let createdAt: WallTime
  /// When it was last active, by the wall clock, to a minute.
  package let activeAt: WallTime
  /// The limits of the session.
  package let limits: SessionLimits

  /// Creates a value, for a backend to answer with.
  package init(
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

/// Where a session was begun, as its process saw it.
///
/// It helps a user to recognise a session and proves nothing: the process of the same user can
/// claim anything.
public struct SessionOrigin: Hashable, Sendable {
  /// The terminal, such as `pts/3`; nil without one.
  public let terminal: String?
  /// The program, such as `auth-cli`.
  public let program: String?
  /// The address of the remote host that the terminal belongs to; nil on this machine.
  public let host: String?

  /// The most bytes of each part that are kept.
  package static let longest = 64

  /// Creates an origin from its parts.
  ///
  /// A part that is empty or has more than ``longest`` bytes is left out.
  public init(terminal: String?, program: String?, host: String?) {
    func kept(_ part: String?) -> String? {
      part.flatMap { (1...Self.longest).contains($0.utf8.count) ? $0 : nil }
    }
    self.terminal = kept(terminal)
    self.program = kept(program)
    self.host = kept(host)
  }

  /// Whether nothing is known.
  package var isEmpty: Bool { terminal == nil && program == nil && host == nil }
}
