extension SessionEvent {
  /// The events by name.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// See ``SessionEvent/restore``.
    case restore
    /// See ``SessionEvent/logIn``.
    case logIn
    /// See ``SessionEvent/switchUser``.
    case switchUser
    /// See ``SessionEvent/reauthenticate``.
    case reauthenticate
    /// See ``SessionEvent/renew(_:)``.
    case renew
    /// See ``SessionEvent/check``.
    case check
    /// See ``SessionEvent/answer(_:)``.
    case answer
    /// See ``SessionEvent/cancel(_:)``.
    case cancel
    /// See ``SessionEvent/logOut``.
    case logOut
    /// See ``SessionEvent/restored(_:_:)``.
    case restored
    /// See ``SessionEvent/authenticated(_:_:)``.
    case authenticated
    /// See ``SessionEvent/renewed(_:_:)``.
    case renewed
    /// See ``SessionEvent/saved(_:_:_:)``.
    case saved
    /// See ``SessionEvent/drained(_:)``.
    case drained
    /// See ``SessionEvent/revoked(_:_:)``.
    case revoked
    /// See ``SessionEvent/erased(_:_:)``.
    case erased
    /// See ``SessionEvent/timedOut(_:leases:)``.
    case timedOut
    /// See ``SessionEvent/limitReached(_:_:)``.
    case limitReached
    /// See ``SessionEvent/ended(_:_:)``.
    case ended

    /// The command of that name, if somebody awaits the event.
    package var command: SessionCommand? { SessionCommand(rawValue: rawValue) }
  }

  /// The name of the event.
  package var kind: Kind {
    switch self {
    case .restore: .restore
    case .logIn: .logIn
    case .switchUser: .switchUser
    case .reauthenticate: .reauthenticate
    case .renew: .renew
    case .check: .check
    case .answer: .answer
    case .cancel: .cancel
    case .logOut: .logOut
    case .restored: .restored
    case .authenticated: .authenticated
    case .renewed: .renewed
    case .saved: .saved
    case .drained: .drained
    case .revoked: .revoked
    case .erased: .erased
    case .timedOut: .timedOut
    case .limitReached: .limitReached
    case .ended: .ended
    }
  }
}

extension Effect {
  /// The effects by name.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// See ``Effect/read(_:)``.
    case read
    /// See ``Effect/authenticate(_:)``.
    case authenticate
    /// See ``Effect/reauthenticate(_:_:)``.
    case reauthenticate
    /// See ``Effect/answer(_:_:for:)``.
    case answer
    /// See ``Effect/renew(_:_:)``.
    case renew
    /// See ``Effect/save(_:_:)``.
    case save
    /// See ``Effect/exchange(_:old:new:)``.
    case exchange
    /// See ``Effect/drain(_:)``.
    case drain
    /// See ``Effect/revoke(_:_:_:)``.
    case revoke
    /// See ``Effect/erase(_:_:)``.
    case erase
    /// See ``Effect/forget(_:)``.
    case forget
    /// See ``Effect/confirm(_:)``.
    case confirm
    /// See ``Effect/closeKeys(_:_:)``.
    case closeKeys
    /// See ``Effect/discard(_:)``.
    case discard
    /// See ``Effect/discardSaved(_:)``.
    case discardSaved
    /// See ``Effect/withdraw(_:)``.
    case withdraw
    /// See ``Effect/notify``.
    case notify
  }

  /// The name of the effect.
  package var kind: Kind {
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
