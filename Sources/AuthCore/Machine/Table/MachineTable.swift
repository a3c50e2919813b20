/// The whole table of the session machine: the answer to each pair of a state and an event.
///
/// Nobody writes the table down. It is made by asking a ``SessionMachine``, in each shape of each
/// state that samples of the events lead to, about each sample. So it cannot differ from the
/// machine.
///
/// ```swift
/// import AuthCore
///
/// func show() {
///   print(MachineTable().text(width: 100))
/// }
/// ```
package struct MachineTable: Sendable {
  /// One cell for each pair, by state and then by event, in the order of their declaration.
  package let cells: [Cell]

  /// Asks the machine.
  package init() {
    var answers: [Pair: [Outcome]] = [:]
    var seen: Set<String> = []
    var unasked = [SessionMachine(policy: RenewalPolicy(limit: 1))]
    while !unasked.isEmpty {
      let machine = unasked.removeFirst()
      let shape = machine.state.shape
      guard seen.insert(shape).inserted else { continue }
      for sample in EventSample.all(for: machine) {
        var asked = machine
        let outcome = Outcome(asked.handle(sample.event), Example(state: shape, event: sample.shape))
        let pair = Pair(state: machine.state.kind, event: sample.event.kind)
        if !answers[pair, default: []].contains(where: { $0.isLike(outcome) }) {
          answers[pair, default: []].append(outcome)
        }
        unasked.append(asked)
      }
    }
    cells = SessionState.Kind.allCases.flatMap { state in
      SessionEvent.Kind.allCases.map { event in
        let outcomes = answers[Pair(state: state, event: event), default: []]
        return Cell(state: state, event: event, outcomes: outcomes.sorted { $0.rank < $1.rank })
      }
    }
  }

  private struct Pair: Hashable {
    let state: SessionState.Kind
    let event: SessionEvent.Kind
  }
}

extension MachineTable {
  /// The answers of one state to one event.
  package struct Cell: Hashable, Sendable {
    /// The state.
    package let state: SessionState.Kind
    /// The event.
    package let event: SessionEvent.Kind
    /// Each different outcome, at least one: transitions first, then rejections, then ignored
    /// events.
    package let outcomes: [Outcome]
  }

  /// One possible answer of a state to an event; it depends on the content of both.
  package struct Outcome: Hashable, Sendable {
    /// The answer.
    package let answer: Answer
    /// The work that the answer names, in order.
    package let effects: [Effect.Kind]
    /// A state and an event with this outcome.
    package let example: Example

    init(_ reaction: Reaction, _ example: Example) {
      switch reaction {
      case .transition(let transition): answer = .transition(to: transition.to)
      case .rejected(let rejection): answer = .rejected(rejection.reason, permitted: rejection.permitted)
      case .ignored(let reason, _): answer = .ignored(reason)
      }
      effects = reaction.effects.map(\.kind)
      self.example = example
    }

    /// Whether both are equal apart from the example.
    func isLike(_ other: Outcome) -> Bool {
      answer == other.answer && effects == other.effects
    }

    var rank: Int {
      switch answer {
      case .transition: 0
      case .rejected: 1
      case .ignored: 2
      }
    }
  }

  /// The answer of the machine, without its content.
  package enum Answer: Hashable, Sendable {
    /// The machine accepted the event.
    case transition(to: SessionState.Kind)
    /// The state does not permit the command; it permits these.
    case rejected(SessionError.Rejection, permitted: CommandSet)
    /// The event has no meaning for the state.
    case ignored(IgnoredBecause)
  }

  /// A state and an event in words.
  package struct Example: Hashable, Sendable {
    /// The state, with the details that distinguish it from others of its kind.
    package let state: String
    /// The event, with the details that distinguish it from others of its kind.
    package let event: String
  }
}
