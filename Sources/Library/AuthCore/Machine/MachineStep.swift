/// One event that the machine of a store handled, and the result.
package struct MachineStep: Hashable, Sendable {
  /// The machine's answer.
  package enum Answer: Hashable, Sendable {
    case transition
    case rejected(SessionError.Rejection)
    case ignored(IgnoredBecause)
  }

  package let event: String
  package let from: SessionState.Kind
  /// The state afterwards, which may be the same.
  package let to: SessionState.Kind
  package let answer: Answer
  /// When; nil where that is not known.
  package var at: ContinuousClock.Instant?
}

extension MachineStep {
  init(
    _ event: SessionEvent, from: SessionState, to: SessionState, _ reaction: Reaction, at: ContinuousClock.Instant?
  ) {
    let answer: Answer =
      switch reaction {
      case .transition: .transition
      case .rejected(let reason): .rejected(reason)
      case .ignored(let reason, _): .ignored(reason)
      }
    self.init(event: event.name, from: from.kind, to: to.kind, answer: answer, at: at)
  }
}

/// The last steps of a machine, for a live view of it.
struct MachineSteps {
  let limit: Int
  /// Reads the time of a step.
  let now: @Sendable () -> ContinuousClock.Instant
  private(set) var latest: [MachineStep] = []

  /// Adds a step; of ignored events that repeat, as renewals of a busy user do, only the last
  /// stays.
  mutating func note(_ step: MachineStep) {
    if let last = latest.last, case .ignored = step.answer,
      (last.event, last.from, last.answer) == (step.event, step.from, step.answer)
    {
      latest.removeLast()
    } else if latest.count == limit {
      latest.removeFirst()
    }
    latest.append(step)
  }
}

extension SessionStore {
  /// Records the last steps of the machine from now on.
  ///
  /// - Parameters:
  ///   - limit: The number of steps to record.
  ///   - now: Reads the time of a step; called with the store's lock held.
  package func keepSteps(_ limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    core.withLock { $0.steps = MachineSteps(limit: limit, now: now) }
  }

  /// The state of the machine and the recorded steps, latest last.
  package var machine: (state: SessionState.Kind, steps: [MachineStep]) {
    core.withLock { ($0.machine.state.kind, $0.steps?.latest ?? []) }
  }
}
