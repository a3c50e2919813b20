/// A queue of session checks and page loads, which run one at a time.
struct AppLane {
  private var waiting: [AppEffect] = []
  private var isBusy = false

  /// Adds work and returns the work to start.
  ///
  /// It adds no work that is already queued, and drops older queries with a filter of the same tab.
  mutating func add(_ effect: AppEffect) -> AppEffect? {
    if case .load(let tab, let isActivity, let query) = effect, !query.text.isEmpty {
      waiting.removeAll { if case .load(tab, isActivity, _) = $0 { true } else { false } }
    }
    if !waiting.contains(effect) { waiting.append(effect) }
    return isBusy ? nil : finish()
  }

  /// Ends the running work, if any, and returns the work to start next.
  mutating func finish() -> AppEffect? {
    isBusy = !waiting.isEmpty
    return isBusy ? waiting.removeFirst() : nil
  }
}
