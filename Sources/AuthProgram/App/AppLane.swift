/// Work of one kind, done one after the other; the loop holds the list.
struct AppLane {
  /// Looks and pages; and what a person does, which does not wait for them.
  enum Kind: Int, Sendable, CaseIterable { case looks, actions }

  private var waiting: [AppEffect] = []
  private var isBusy = false

  /// Adds work, of which none that waits already is added again; returns what is to be started.
  mutating func add(_ effect: AppEffect) -> AppEffect? {
    if !waiting.contains(where: { $0.isLike(effect) }) { waiting.append(effect) }
    return isBusy ? nil : next()
  }

  /// The work is done; returns what is to be started.
  mutating func finish() -> AppEffect? {
    isBusy = false
    return next()
  }

  private mutating func next() -> AppEffect? {
    guard !waiting.isEmpty else { return nil }
    isBusy = true
    return waiting.removeFirst()
  }
}
