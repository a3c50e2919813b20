/// Identifies one body on one object: the object's address, and the place or the key of the body.
@usableFromInline
struct Run: Hashable, Sendable {
  @usableFromInline let object: ObjectIdentifier
  /// The file of the place; empty if there is a key.
  @usableFromInline let file: String
  /// Line and column, or the hash of the key; 64 bits also where a word has 32, as on a watch.
  @usableFromInline let position: UInt64
  @usableFromInline let key: RunKey?

  /// Generic, because an optional existential key costs 20 ns even when it is nil.
  @inlinable @inline(__always)
  init<Key: Hashable & Sendable>(
    _ object: ObjectIdentifier, _ key: Key?, _ file: String, _ line: UInt, _ column: UInt
  ) {
    self.object = object
    self.key = key.map { RunKey($0) }
    self.file = self.key == nil ? file : ""
    position = self.key?.hash ?? UInt64(line) << 32 | UInt64(column)
  }

  /// Hashes one word, because hashing is most of the cost of a lookup.
  ///
  /// The factor is a large odd number, which spreads the position over the whole word.
  @usableFromInline
  func hash(into hasher: inout Hasher) {
    hasher.combine(UInt64(UInt(bitPattern: object)) ^ position &* 0x9E37_79B9_7F4A_7C15)
  }
}

/// A key of any type; keys of different types are different.
@usableFromInline
final class RunKey: Equatable, Sendable {
  private let value: any Hashable & Sendable
  /// Computed here, because it calls the user's code, and the table is searched under a lock.
  @usableFromInline let hash: UInt64

  @usableFromInline
  init(_ value: any Hashable & Sendable) {
    self.value = value
    hash = UInt64(UInt(bitPattern: value.hashValue))
  }

  @usableFromInline
  static func == (one: RunKey, other: RunKey) -> Bool {
    func equals<One: Hashable, Other: Hashable>(_ one: One, _ other: Other) -> Bool {
      One.self == Other.self && one == other as? One
    }
    return one === other || equals(one.value, other.value)
  }
}
