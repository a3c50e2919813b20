@testable import AuthCore

// Describes steps for a script.

extension ModelWorld {
  /// Takes the step, and describes it with the events and reactions of the machine.
  mutating func takeInWords(_ step: ModelStep, _ judge: ModelJudge) -> [String] {
    let words = words(of: step)
    judge.exchanges = []
    take(step, judge)
    return [words]
      + (judge.exchanges ?? []).map { event, reaction in "    \(event.name) -> \(reaction.words(machine.state))" }
  }

  private func words(of step: ModelStep) -> String {
    switch step {
    case .command(let command, let user): "\(command.name), \(ModelAuthority.names[Int(user)])"
    case .work(let index, let choice): "\(works[Int(index)].words): \(choice.rawValue)"
    case .late(let late): late.rawValue
    case .stranger(let stranger): stranger.rawValue
    case .call(let call): call.rawValue
    case .leaseBegins, .leaseEnds, .timeOut, .deadline, .limit, .rejection, .crash, .release: "\(step)"
    }
  }
}

extension ModelWork {
  fileprivate var words: String {
    let place =
      switch stage {
      case .waiting: effect.kind == .drain ? "leases" : "vault"
      case .asking: "authority"
      case .returning: "completion"
      }
    let token = effect.tokens.last.map { ", token \($0.number)" } ?? ""
    return "\(effect.kind)\(epoch.map { " \($0)" } ?? "")\(token), \(place)"
  }
}

extension Reaction {
  func words(_ state: SessionState) -> String {
    let effects = self.effects.map { "\($0.kind)" }.joined(separator: ", ")
    let after = effects.isEmpty ? "" : ": \(effects)"
    return switch self {
    case .transition: "\(state.shape)\(after)"
    case .rejected(let reason): "rejected, \(reason.kind.rawValue)"
    case .ignored(let reason, _): "ignored, \(reason.rawValue)\(after)"
    }
  }
}
