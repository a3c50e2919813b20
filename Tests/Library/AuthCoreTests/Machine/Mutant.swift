@testable import AuthCore

/// The shipped machine with one reaction changed, and the rule that this breaks.
struct Mutant: CustomStringConvertible, Sendable {
  let description: String
  let rule: ModelRule
  let handle: ModelJudge.Machine

  /// Creates a mutant from its answers; nil is the answer of the shipped machine.
  init(
    _ description: String, breaks rule: ModelRule,
    _ answer: @escaping @Sendable (inout SessionMachine, SessionEvent) -> Reaction?
  ) {
    self.description = description
    self.rule = rule
    handle = { machine, event in
      if let changed = answer(&machine, event) { return changed }
      return machine.handle(event)
    }
  }

  /// A mutant whose reactions lack effects of a kind; `isMeant` gets the new state, the event and
  /// the reaction.
  static func without(
    _ kind: Effect.Kind, _ description: String, breaks rule: ModelRule,
    where isMeant: @escaping @Sendable (SessionState, SessionEvent, Reaction) -> Bool = { _, _, _ in true }
  ) -> Mutant {
    Mutant(description, breaks: rule) { machine, event in
      let reaction = machine.handle(event)
      return isMeant(machine.state, event, reaction) ? reaction.mapping { $0.filter { $0.kind != kind } } : reaction
    }
  }

  /// A mutant that, in a state, ignores the event of the epoch for which the state waits.
  static func ignoring(
    _ awaited: @escaping @Sendable (Epoch) -> SessionEvent, in kind: SessionState.Kind, _ description: String,
    breaks rule: ModelRule
  ) -> Mutant {
    Mutant(description, breaks: rule) { machine, event in
      machine.state.kind == kind && event == machine.state.awaitedEpoch.map(awaited) ? .ignored(.otherEpoch) : nil
    }
  }

  /// A mutant that does not wait for an effect, but continues as if it had completed.
  static func skipping(
    _ kind: Effect.Kind, _ description: String, breaks rule: ModelRule,
    _ completion: @escaping @Sendable (Epoch) -> SessionEvent
  ) -> Mutant {
    Mutant(description, breaks: rule) { machine, event in
      let reaction = machine.handle(event)
      guard case .transition(let first) = reaction, first.contains(where: { $0.kind == kind }),
        let epoch = machine.state.awaitedEpoch, case .transition(let second) = machine.handle(completion(epoch))
      else { return reaction }
      return .transition(first.filter { $0.kind != kind } + second)
    }
  }

  /// A mutant that takes a command about one session for one about whatever session there is.
  static func renaming(_ command: SessionCommand, _ description: String) -> Mutant {
    .mistaking(description, breaks: .commandsKeepToTheirSession) { _, event in
      guard case .command(command, _, let caller) = event else { return nil }
      return .command(command, about: .anyone, by: caller)
    }
  }

  /// A mutant that takes the caller of a command for one outside of leases.
  static func outside(_ command: SessionCommand, _ description: String) -> Mutant {
    .mistaking(description, breaks: .nobodyWaitsForever) { _, event in
      guard case .command(command, let subject, let caller) = event else { return nil }
      return .command(command, about: subject, by: CommandCaller(since: caller.since))
    }
  }

  /// A mutant that treats an event as a different one.
  static func mistaking(
    _ description: String, breaks rule: ModelRule,
    _ mistake: @escaping @Sendable (SessionState, SessionEvent) -> SessionEvent?
  ) -> Mutant {
    Mutant(description, breaks: rule) { machine, event in machine.handle(mistake(machine.state, event) ?? event) }
  }
}

extension Reaction {
  func mapping(_ change: ([Effect]) -> [Effect]) -> Reaction {
    switch self {
    case .transition(let effects): .transition(change(effects))
    case .rejected: self
    case .ignored(let reason, let cleanup): .ignored(reason, change(cleanup))
    }
  }
}

extension SessionMachine {
  /// Makes a transition, with a new epoch, that the shipped machine would not make.
  mutating func stray(_ next: (Epoch) -> (SessionState, [Effect])) -> Reaction {
    let epoch = Epoch(number: lastEpoch.number + 1)
    let (state, effects) = next(epoch)
    self = SessionMachine(in: state, after: epoch, isReleased: isReleased)
    return .transition(effects)
  }
}

extension SessionState {
  /// The limit of a record as one of the present session, if `areMeant` accepts the two records.
  func presentLimit(_ event: SessionEvent, _ areMeant: (SessionRecord, SessionRecord) -> Bool) -> SessionEvent? {
    guard case .limitReached(let record, let limit) = event, let session, areMeant(record, session) else { return nil }
    return .limitReached(session, limit)
  }
}
