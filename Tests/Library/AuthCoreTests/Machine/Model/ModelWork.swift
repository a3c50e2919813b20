@testable import AuthCore

/// An effect under way.
struct ModelWork {
  /// The effect that the machine requested.
  let effect: Effect
  /// The epoch of the effect, if it has one.
  let epoch: Epoch?
  /// The user of the submitted credentials, if the effect checks any.
  let user: UInt8
  var stage: Stage
  /// The token of the request to the authority, or one that was refused as superseded or is to be
  /// erased.
  var token: UInt8?
  /// Whether an earlier request failed.
  var hasFailed = false
  /// Whether it has exceeded its time limit.
  var isOverdue = false

  enum Stage {
    /// In the vault queue, or waiting for leases.
    case waiting
    /// The request is on its way to the authority.
    case asking
    /// The result is decided, and the completion is on its way back.
    case returning(SessionEvent, isFailure: Bool)
  }

  init(_ effect: Effect, user: UInt8 = 0) {
    (self.effect, epoch, self.user) = (effect, effect.epoch, user)
    let waits = effect.vaultUse != .none || effect.kind == .drain
    (stage, token) = waits ? (.waiting, nil) : (.asking, effect.tokens.first?.number)
  }

  var isWaitingForVault: Bool {
    if case .waiting = stage { effect.vaultUse != .none } else { false }
  }

  /// Whether the result is decided.
  var isReturning: Bool {
    if case .returning = stage { true } else { false }
  }
}

extension Effect {
  /// The tokens of the effect, in the order in which it uses them.
  var tokens: [SessionToken] {
    switch self {
    case .reauthenticate(_, let record), .renew(_, let record), .confirm(let record): [record.grant.token]
    case .answer(_, _, let record): record.map { [$0.grant.token] } ?? []
    case .discard(let token), .discardSaved(let token): [token]
    case .save(_, let grant): [grant.token]
    case .exchange(_, let old, let new): [old, new.token]
    case .revoke(_, let targets, _), .erase(_, let targets): targets.tokens
    case .read, .authenticate, .drain, .forget, .closeKeys, .withdraw, .notify: []
    }
  }
}

/// The outcome of a step of an effect.
enum ModelChoice: String {
  /// It succeeds as requested.
  case done
  /// The authority grants it with another token.
  case exchanged = "granted with a new token"
  /// The authority requires a second step, or repeats the question.
  case challenged = "asks for a second step"
  /// Refused or unavailable: nothing has changed, and the caller gets the error.
  case refused
  /// It fails, and leaves something that must be reported or is lost.
  case failed
  /// The completion arrives.
  case arrives
}
