@testable import AuthCore

/// An effect under way.
struct ModelWork {
  /// What the machine asked for.
  let effect: Effect
  var stage: Stage
  /// Whose credentials were submitted, where the effect checks any.
  var user: UInt8 = 0
  /// Whether it has exceeded its time limit.
  var isOverdue = false

  enum Stage {
    /// In the line before the vault, or waiting for leases. The token is one that was refused as
    /// superseded, or one that is to be erased.
    case waiting(UInt8?, hasFailed: Bool = false)
    /// The question about the token is on its way to the authority; what was refused before counts.
    case asking(UInt8?, hasFailed: Bool)
    /// It is decided, and the completion is on its way back.
    case returning(SessionEvent, isFailure: Bool)
  }

  init(_ effect: Effect, user: UInt8) {
    self.effect = effect
    self.user = user
    switch effect {
    case .read, .save, .exchange, .erase, .forget, .discardSaved, .drain: stage = .waiting(nil)
    case .authenticate, .answer, .withdraw: stage = .asking(nil, hasFailed: false)
    case .reauthenticate(_, let record), .renew(_, let record), .confirm(let record):
      stage = .asking(record.token, hasFailed: false)
    case .discard(let token): stage = .asking(token.number, hasFailed: false)
    case .revoke(_, let targets, _): stage = .asking(targets.token.number, hasFailed: false)
    case .closeKeys, .notify: preconditionFailure("done in the step that decides it")
    }
  }

  var isWaitingForVault: Bool {
    switch stage {
    case .waiting: effect.vaultUse != .none
    case .asking, .returning: false
    }
  }

  /// Whether those behind it in the line wait for it.
  var holdsUpVault: Bool { isWaitingForVault && effect.vaultUse == .change }

  /// The epoch that the completion will bring.
  var epoch: Epoch? { effect.epoch }

  /// Whether it is decided.
  var isReturning: Bool {
    if case .returning = stage { true } else { false }
  }
}

/// How a step of an effect comes out.
enum ModelChoice: UInt8 {
  /// As asked.
  case done
  /// The authority grants it with another token.
  case exchanged
  /// The authority asks for a second step, or asks again.
  case challenged
  /// Refused, or not available: nothing has changed, and the caller is told.
  case refused
  /// It fails, and something is left that has to be reported or is lost.
  case failed
  /// The completion arrives.
  case arrives
}
