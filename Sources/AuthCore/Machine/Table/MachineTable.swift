/// The whole table of the session machine: for every pair of a state and an event, what the machine answers.
///
/// It is not written down anywhere: it is made by asking a ``SessionMachine``, in every shape of every state that samples of the events lead
/// to, about every sample. So it cannot differ from the machine.
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
  /// What one state answers to one event.
  package struct Cell: Hashable, Sendable {
    /// The state that is asked.
    package let state: SessionState.Kind
    /// The event it is asked about.
    package let event: SessionEvent.Kind
    /// Every different outcome, of which there is at least one: transitions first, then rejections, then what is ignored.
    package let outcomes: [Outcome]
  }

  /// One way in which a state may answer an event, depending on what both of them carry.
  package struct Outcome: Hashable, Sendable {
    /// The answer.
    package let answer: Answer
    /// The work that the answer names, in order.
    package let effects: [Effect.Kind]
    /// A state and an event that lead here.
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

    /// Whether both are the same but for the example.
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

  /// The answer of a machine without what it carries.
  package enum Answer: Hashable, Sendable {
    /// The event was taken.
    case transition(to: SessionState.Kind)
    /// The command is not permitted; these are.
    case rejected(SessionError.Rejection, permitted: CommandSet)
    /// The event has nothing to say to the state.
    case ignored(IgnoredBecause)
  }

  /// A state and an event in words.
  package struct Example: Hashable, Sendable {
    /// The state, with what distinguishes it from others of its kind.
    package let state: String
    /// The event, with what distinguishes it from others of its kind.
    package let event: String
  }
}
