import ConcurrencyKit

/// The state of each body on each object.
@usableFromInline
enum RunRecords {
  private enum Phase {
    /// The body failed and may run again.
    case failed
    /// The body is running; the promise is fulfilled when it ends.
    case running(Promise<Void>)
    /// The body ended.
    case done

    /// The result of a call in this phase; nil when it may run the body.
    var answer: RunOnce.Outcome? {
      switch self {
      case .failed: nil
      case .running: .stillRunning
      case .done: .alreadyRan
      }
    }
  }

  private static let table = Locked<[Run: Phase]>([:])

  /// Begins `run`; the caller must then call ``end(_:counts:)``.
  ///
  /// - Returns: Nil if the run began; otherwise the reason why not.
  @usableFromInline
  static func begin(_ run: Run, on object: AnyObject) -> RunOnce.Outcome? {
    if let answer = table.withLock({ $0[run] })?.answer { return answer }
    let record = RunRecord(run, object)
    if record.isObjectGone { return .tooLate }
    let end = Promise<Void>()
    let before = table.withLock { table in
      let before = table[run]
      if before?.answer == nil { table[run] = .running(end) }
      return before
    }
    if let answer = before?.answer { return answer }
    if case nil = before { RunSweep.add(record) }
    return nil
  }

  /// Ends a run that ``begin(_:on:)`` began, and resumes the waiting calls.
  ///
  /// If it does not count, the next call runs the body again.
  @usableFromInline
  static func end(_ run: Run, counts: Bool) {
    let before = table.withLock { table in
      defer { table[run] = counts ? .done : .failed }
      return table[run]
    }
    if case .running(let end) = before { end.fulfil(()) }
  }

  /// The promise that is fulfilled when `run` ends; nil if it is not running.
  static func completion(of run: Run) -> Promise<Void>? {
    if case .running(let end) = table.withLock({ $0[run] }) { end } else { nil }
  }

  /// Forgets `run`, whose object died, unless the body is running.
  ///
  /// - Returns: Whether it is forgotten.
  static func forget(_ run: Run) -> Bool {
    // Released after the lock: a key can have a `deinit` that uses `RunOnce`.
    let removed = table.withLock { table -> (Run, Phase)? in
      guard let index = table.index(forKey: run) else { return nil }
      if case .running = table[index].value { return nil }
      let removed = table.remove(at: index)
      // A dictionary never shrinks on its own.
      if table.capacity > 8 * (table.count + 8) {
        table = Dictionary(uniqueKeysWithValues: table.lazy.map { ($0.key, $0.value) })
      }
      return removed
    }
    return removed != nil
  }
}
