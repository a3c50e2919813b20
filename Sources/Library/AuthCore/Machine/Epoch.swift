/// Numbers a piece of asynchronous work, to identify its completion.
///
/// Each state that starts work stores the epoch of that work; a completion with another epoch
/// changes nothing. The idea is the generation counter or *fencing token* (M. Kleppmann, "How to do
/// distributed locking", 2016).
package struct Epoch: Hashable, Sendable, CustomStringConvertible {
  /// The position in the order in which one machine started its work, from 1.
  package let number: UInt64

  /// The number after a hash sign.
  package var description: String { "#\(number)" }
}
