/// Numbers asynchronous work, so that its completion can be told from that of any other.
///
/// Every state that starts work carries the epoch of that work; a completion that brings another one changes nothing. The idea is
/// the generation counter or *fencing token* (M. Kleppmann, "How to do distributed locking", 2016).
package struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Position in the order in which work was started by one machine, from 1.
  package let number: UInt64

  /// Creates an epoch.
  ///
  /// Only a machine hands out meaningful ones.
  package init(_ number: UInt64) {
    self.number = number
  }

  /// The number after a hash sign.
  package var description: String { "#\(number)" }

  /// Whether the first was started before the second.
  package static func < (first: Epoch, second: Epoch) -> Bool {
    first.number < second.number
  }
}

/// Hands out epochs, each once.
struct EpochCounter: Hashable, Sendable {
  private(set) var last = Epoch(0)

  mutating func next() -> Epoch {
    last = Epoch(last.number + 1)
    return last
  }
}
