@testable import AuthCore

/// The shipped machine with one reaction changed, and the rule that this breaks.
struct Mutant: CustomStringConvertible, Sendable {
  let description: String
  let rule: ModelRule
  let handle: ModelJudge.Machine

  init(_ description: String, breaks rule: ModelRule, _ handle: @escaping ModelJudge.Machine) {
    self.description = description
    self.rule = rule
    self.handle = handle
  }

  /// One whose reactions lack effects of a kind.
  static func without(
    _ kind: Effect.Kind, _ description: String, breaks rule: ModelRule,
    where isMeant: @escaping @Sendable (Reaction) -> Bool = { _ in true }
  ) -> Mutant {
    Mutant(description, breaks: rule) { machine, event in
      let reaction = machine.handle(event)
      return isMeant(reaction) ? reaction.mapping { $0.filter { $0.kind != kind } } : reaction
    }
  }

  /// One that does not wait for an effect, but goes on as if it had come back.
  static func skipping(
    _ kind: Effect.Kind, _ description: String, breaks rule: ModelRule,
    _ completion: @escaping @Sendable (Epoch) -> SessionEvent
  ) -> Mutant {
    Mutant(description, breaks: rule) { machine, event in
      let reaction = machine.handle(event)
      guard case .transition(let first) = reaction, first.effects.contains(where: { $0.kind == kind }),
        let epoch = machine.state.awaitedEpoch, case .transition(let second) = machine.handle(completion(epoch))
      else { return reaction }
      let effects = first.effects.filter { $0.kind != kind } + second.effects
      return .transition(Transition(from: first.from, to: second.to, effects: Effects(effects)))
    }
  }

  /// One that takes an event for another.
  static func mistaking(
    _ description: String, breaks rule: ModelRule,
    _ mistake: @escaping @Sendable (SessionState, SessionEvent) -> SessionEvent?
  ) -> Mutant {
    Mutant(description, breaks: rule) { machine, event in machine.handle(mistake(machine.state, event) ?? event) }
  }
}

extension Effects {
  init(_ effects: [Effect]) {
    precondition(effects.count <= 4)
    self.init(effects.first, effects.dropFirst().first, effects.dropFirst(2).first, effects.dropFirst(3).first)
  }
}

extension Reaction {
  func mapping(_ change: ([Effect]) -> [Effect]) -> Reaction {
    switch self {
    case .transition(let step):
      .transition(Transition(from: step.from, to: step.to, effects: Effects(change(Array(step.effects)))))
    case .rejected: self
    case .ignored(let reason, let cleanup): .ignored(reason, Effects(change(Array(cleanup))))
    }
  }
}

extension SessionMachine {
  /// Moves where the shipped machine would not.
  mutating func stray(_ next: SessionState, burning epochs: UInt64 = 0, _ effects: Effects) -> Reaction {
    let from = state.kind
    self = SessionMachine(in: next, after: Epoch(lastEpoch.number + epochs), policy: policy)
    return .transition(Transition(from: from, to: next.kind, effects: effects))
  }
}
