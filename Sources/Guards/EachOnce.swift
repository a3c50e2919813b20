/// Lets each element through once, up to a bound: the impressions of a list, each tracked the first time it is seen.
///
/// A gate that is never reset does this too, and grows for ever. This has a bound, and at the bound it answers
/// ``Answer/full`` to every element that it does not know: an impression may go untracked, but none is tracked twice. Forgetting
/// the oldest instead would break the one promise of the type.
///
/// An element's `==` and `hash` run under the lock of the record; they must not use it.
public final class EachOnce<Element: Hashable & Sendable>: Sendable {
  /// What became of an element.
  public enum Answer: Hashable, Sendable, CaseIterable {
    /// Never seen before; it is now.
    case first
    /// Seen before.
    case again
    /// Not seen before, and there is no room to remember it: treat it as ``again``, or raise the bound.
    case full
  }

  /// How many elements are remembered at most.
  public let bound: Int
  private let seen = Locked<Set<Element>>([])

  /// Creates a record of nothing seen.
  ///
  /// - Parameter bound: How many elements to remember at most; less than 0 counts as 0, where all is ``Answer/full``.
  public init(bound: Int) {
    self.bound = max(0, bound)
  }

  /// How many elements were let through.
  public var count: Int { seen.withLock { $0.count } }

  /// Asks for `element`: of all calls with equal elements, from whatever threads, at most one ever gets ``Answer/first``.
  public func see(_ element: Element) -> Answer {
    seen.withLock { seen in
      if seen.contains(element) { return .again }
      if seen.count >= bound { return .full }
      seen.insert(element)
      return .first
    }
  }
}
