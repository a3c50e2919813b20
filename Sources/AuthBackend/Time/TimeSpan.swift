/// A part of the wall clock's time: from one moment on, and before another.
///
/// Where the wall clock was set back, what was written after that counts as no earlier than what
/// was written before, for events.
public struct TimeSpan: Hashable, Sendable {
  /// The first moment in it; nil without a beginning.
  public let since: WallTime?
  /// The first moment after it; nil without an end.
  public let until: WallTime?

  /// Creates a span.
  public init(since: WallTime? = nil, until: WallTime? = nil) {
    self.since = since
    self.until = until
  }

  /// All of it.
  public static let all = TimeSpan()
}
