/// A queue of session checks and page loads, which run one at a time.
struct AppLane {
  private var waiting: [AppEffect] = []
  private var isBusy = false

  /// Adds work and returns the work to start.
  ///
  /// It does not add work that is already queued; of several queries of a tab it keeps the last.
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
