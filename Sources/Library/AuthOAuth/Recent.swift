/// A dictionary that forgets the oldest entries beyond a limit.
struct Recent<Key: Hashable, Value> {
  /// The number of entries to keep: more than one app needs at the same time.
  static var limit: Int { 64 }
  private var entries: [(key: Key, value: Value)] = []

  subscript(key: Key) -> Value? {
    get { entries.last { $0.key == key }?.value }
    set {
      entries.removeAll { $0.key == key }
      if let newValue { entries.append((key, newValue)) }
      if entries.count > Self.limit { entries.removeFirst() }
    }
  }

  mutating func removeValue(forKey key: Key) -> Value? {
    defer { self[key] = nil }
    return self[key]
  }
}

extension Recent: Sendable where Key: Sendable, Value: Sendable {}
