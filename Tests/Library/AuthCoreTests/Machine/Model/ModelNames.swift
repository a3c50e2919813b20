@testable import AuthCore

// The names in scripts and in the table of the machine.

extension Effect {
  /// The effects by name.
  enum Kind: String {
    case read, authenticate, reauthenticate, answer, renew, save, exchange, drain, revoke, erase, forget
    case confirm, closeKeys, discard, discardSaved, withdraw, notify
  }

  var kind: Kind {
    switch self {
    case .read: .read
    case .authenticate: .authenticate
    case .reauthenticate: .reauthenticate
    case .answer: .answer
    case .renew: .renew
    case .save: .save
    case .exchange: .exchange
    case .drain: .drain
    case .revoke: .revoke
    case .erase: .erase
    case .forget: .forget
    case .confirm: .confirm
    case .closeKeys: .closeKeys
    case .discard: .discard
    case .discardSaved: .discardSaved
    case .withdraw: .withdraw
    case .notify: .notify
    }
  }
}

extension SessionState {
  /// The commands that the state must permit, and no others.
  var permitted: [SessionCommand] {
    switch self {
    case .restoring: [.restore, .logIn, .logOut]
    case .loggedOut(let state): state.isUnfinished ? [.logIn, .logOut] : [.restore, .logIn]
    case .authenticating, .loggingOut: [.logOut]
    case .challenged(let state):
      (restingSession == nil ? [] : [.session(.renew), .session(.check)])
        + (state.step == .waiting ? [.answer] : []) + [.cancel, .logOut]
    case .loggedIn: SessionCommand.OnSession.allCases.map { .session($0) } + [.logOut]
    case .renewing(let state):
      (state.purpose == .renew ? [.session(.renew)] : []) + (state.beside == nil ? [] : [.cancel]) + [.logOut]
    }
  }

  /// The challenge that the state holds.
  var presentChallenge: Challenge? {
    if case .challenged(let state) = self { state.challenge } else { waitingChallenge?.challenge }
  }

  /// Whether the state waits for the completion with this epoch.
  func awaits(_ epoch: Epoch) -> Bool { epoch == awaitedEpoch || epoch == waitingChallenge?.epoch }

  /// The kind, and the details that distinguish it from others of the same kind.
  var shape: String { ([kind.rawValue] + details).compactMap(\.self).joined(separator: ", ") }

  private var details: [String?] {
    switch self {
    case .restoring(let state):
      [
        state.reading == nil ? "not reading" : "reading", state.obstacle == nil ? nil : "obstructed",
        state.lastKnown == nil ? nil : "user known",
      ]
    case .loggedOut(let state):
      [
        state.leftovers.hasTokens ? "unfinished" : nil, state.targets == nil ? nil : "token known",
        state.sweeping ? "whatever is kept" : nil, state.leftovers.leases > 0 ? "a lease running" : nil,
      ]
    case .authenticating(let state):
      ["from \(state.from.state.kind.rawValue)", state.saving == nil ? "asking" : "saving"]
    case .challenged(let state):
      switch state.from {
      case .login(let origin): ["from \(origin.state.kind.rawValue)", "\(state.step)"]
      case .session(_, let purpose): ["for \(purpose.rawValue)", "\(state.step)"]
      }
    case .loggedIn: []
    case .renewing(let state):
      [
        "for \(state.purpose.rawValue)", "\(state.step)".prefix { $0 != "(" }.description,
        state.beside.map { "beside a challenge for \($0.purpose.rawValue)" },
      ]
    case .loggingOut(let state):
      [
        "\(state.step)", state.targets.map { $0.pending == nil ? "one token" : "two tokens" },
        state.sweeping ? "whatever is kept" : nil, state.revoking ? nil : "already revoked",
        state.successor == nil ? nil : "with a successor", state.leftovers.hasTokens ? "unfinished" : nil,
        state.leftovers.leases > 0 ? "a lease running" : nil,
      ]
    }
  }
}

extension SessionEvent {
  /// The name, and the details that distinguish it from others of the same name.
  func shape(in state: SessionState) -> String {
    let isLate = epoch.map { !state.awaits($0) } ?? false
    return [result.map { "\(name): \($0)" } ?? name, isLate ? "of another epoch" : nil].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// What distinguishes the results of an event.
  var result: String? {
    switch self {
    case .restored(_, .found), .answered(_, .granted): "granted"
    case .saved(_, _, .done), .revoked(_, true): "done"
    case .answered(_, .challenged): "challenged"
    case .restored(_, .absent): "absent"
    case .restored(_, .ended), .answered(_, .ended): "ended"
    case .restored(_, .obstructed): "obstructed"
    case .answered(_, .failed), .saved(_, _, .failed), .revoked(_, false): "failed"
    case .answered(_, .superseded), .saved(_, _, .superseded): "superseded"
    case .erased(_, let left): left == .none ? "done" : "failed"
    case .limitReached(_, let reason): if case .expired(let limit) = reason.kind { "\(limit)" } else { reason.code }
    case .command, .recognized, .drained, .timedOut, .ended, .released: nil
    }
  }
}
