@testable import AuthCore

// Describes steps for a script.

extension ModelWorld {
  /// Takes the step, and describes it with the events and reactions of the machine.
  mutating func takeInWords(_ step: ModelStep, _ judge: ModelJudge) -> [String] {
    let words = step.words(self)
    judge.exchanges = []
    take(step, judge)
    let answers = (judge.exchanges ?? []).map { event, reaction in
      "    \(event.name) -> \(reaction.words(machine.state))"
    }
    return [words] + answers
  }
}

extension ModelStep {
  /// Describes the step before it happens.
  func words(_ world: borrowing ModelWorld) -> String {
    switch self {
    case .command(.logIn, let user): "logIn \(ModelAuthority.names[Int(user)])"
    case .command(.session(.switchUser), let user): "switchUser to \(ModelAuthority.names[Int(user)])"
    case .command(let command, _): command.name
    case .leaseBegins: "a lease begins"
    case .leaseEnds: "a lease ends"
    case .work(let index, let choice): world.works[Int(index)].words(choice, world.authority)
    case .timeOut: "the step under way takes too long"
    case .limit: "the idle limit is reached"
    case .rejection: "the authority refuses an effect: the session is over"
    case .late(let late): late.rawValue
    case .stranger(let stranger): stranger.rawValue
    case .crash: "the process is killed and launched again"
    }
  }
}

extension ModelWork {
  func words(_ choice: ModelChoice, _ authority: ModelAuthority) -> String {
    let place =
      switch stage {
      case .waiting: effect.kind == .drain ? "leases" : "vault"
      case .asking: "authority"
      case .returning: "completion"
      }
    return "\(effect.kind)\(epoch.map { " \($0)" } ?? ""), \(place): \(choice.rawValue)\(subject(authority))"
  }

  private func subject(_ authority: ModelAuthority) -> String {
    switch effect {
    case .authenticate: return ", for \(ModelAuthority.names[Int(user)])"
    case .answer(_, let challenge, _), .withdraw(let challenge):
      return ", challenge of \(ModelAuthority.names[Int(authority.steps[Int(challenge.token.number)].user)])"
    case .read, .reauthenticate, .renew, .save, .exchange, .drain, .revoke, .erase, .forget, .confirm, .closeKeys,
      .discard, .discardSaved, .notify:
      guard let token = effect.tokens.last?.number else { return "" }
      return ", token \(token) of \(authority.grant(token).user.username)"
    }
  }
}

extension Reaction {
  func words(_ state: SessionState) -> String {
    let effects = self.effects.map { "\($0.kind)" }.joined(separator: ", ")
    let after = effects.isEmpty ? "" : ": \(effects)"
    return switch self {
    case .transition: "\(state.shape)\(after)"
    case .rejected(let reason): "rejected, \(reason.rawValue)"
    case .ignored(let reason, _): "ignored, \(reason.rawValue)\(after)"
    }
  }
}
