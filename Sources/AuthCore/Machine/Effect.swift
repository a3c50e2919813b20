/// Work that the store does for the machine, as data.
///
/// Each effect with an epoch comes back as a completion with that epoch. When it exceeds its time
/// limit, it comes back as failed, and its own completion is a stale result. The store does not wait
/// for effects without an epoch.
package enum Effect: Hashable, Sendable {
  /// Read the vault, and ask the authority about its token.
  case read(Epoch)
  /// Ask the authority about the credentials of the caller.
  case authenticate(Epoch)
  /// Ask the authority about the password of the caller.
  case reauthenticate(Epoch, SessionRecord)
  /// Give the authority the answer of the caller to a challenge: of a login, or of a
  /// reauthentication of the session.
  indirect case answer(Epoch, Challenge, for: SessionRecord?)
  /// Report activity to the authority.
  case renew(Epoch, SessionRecord)
  /// Save the record's token in the vault, and revoke the token that it replaces.
  case save(Epoch, SessionRecord)
  /// Save the new record's token in the vault if the vault holds the old one.
  case exchange(Epoch, old: SessionRecord, new: SessionRecord)
  /// Wait until no lease is running.
  case drain(Epoch)
  /// End the sessions of these tokens at the authority.
  case revoke(Epoch, Targets, EndReason)
  /// Erase these tokens from the vault; another token stays.
  case erase(Epoch, Targets)
  /// Revoke and erase whatever the vault holds; corrupt content is set aside.
  case forget(Epoch)

  /// Tell the authority that the vault holds the record's token.
  case confirm(SessionRecord)
  /// Close the keys of the session that began in the epoch: they are dead, and no lease starts.
  case closeKeys(Epoch, EndReason)
  /// Revoke a grant that came too late.
  case discard(SessionRecord)
  /// Revoke a grant that came too late, and erase it from the vault.
  case discardSaved(SessionRecord)
  /// Tell the authority that nobody will answer a challenge.
  indirect case withdraw(Challenge)
  /// Notify observers of the new state.
  case notify

  /// One or two tokens of the session to end; the second one belongs to a write that was under way.
  package struct Targets: Hashable, Sendable {
    /// The token of the session.
    package let token: SessionToken
    /// A token that may be in the vault in its place.
    package let pending: SessionToken?

    /// Creates targets.
    package init(_ token: SessionToken, pending: SessionToken? = nil) {
      self.token = token
      self.pending = pending
    }
  }
}

extension Effect {
  /// The epoch of the completion; nil for an effect that nobody waits for.
  package var epoch: Epoch? {
    switch self {
    case .read(let epoch), .authenticate(let epoch), .reauthenticate(let epoch, _), .renew(let epoch, _),
      .answer(let epoch, _, _), .save(let epoch, _), .exchange(let epoch, _, _), .drain(let epoch),
      .revoke(let epoch, _, _), .erase(let epoch, _), .forget(let epoch):
      epoch
    case .confirm, .closeKeys, .discard, .discardSaved, .withdraw, .notify: nil
    }
  }

  /// How the effect comes back when it exceeds its time limit, while so many leases are running.
  package func overdue(leases: Int) -> SessionEvent? {
    switch self {
    case .read(let epoch): .restored(epoch, .obstructed(.authority(.late)))
    case .authenticate(let epoch): .authenticated(epoch, .failed)
    case .reauthenticate(let epoch, _), .renew(let epoch, _): .renewed(epoch, .failed)
    // Nobody checked the answer, as far as known, so the challenge is as it was.
    case .answer(let epoch, let challenge, .none): .authenticated(epoch, .challenged(challenge))
    case .answer(let epoch, let challenge, .some): .renewed(epoch, .challenged(challenge))
    case .save(let epoch, let record), .exchange(let epoch, _, let record): .saved(epoch, record, .failed)
    case .drain(let epoch), .revoke(let epoch, _, _), .erase(let epoch, _), .forget(let epoch):
      .timedOut(epoch, leases: leases)
    case .confirm, .closeKeys, .discard, .discardSaved, .withdraw, .notify: nil
    }
  }
}

extension Unavailability {
  /// No answer came within the time limit of the step.
  static let late = Unavailability(.busy, "No answer came in time.")
}

extension VaultError {
  /// No answer came within the time limit of the step.
  static let late = VaultError("The vault did not answer in time.")
}

/// Up to four effects, in order, without an allocation.
package struct Effects: Hashable, Sendable, Sequence {
  /// The first effect.
  package let first: Effect?
  /// The second effect.
  package let second: Effect?
  /// The third effect.
  package let third: Effect?
  /// The fourth effect.
  package let fourth: Effect?

  /// Creates a list.
  package init(
    _ first: Effect? = nil, _ second: Effect? = nil, _ third: Effect? = nil, _ fourth: Effect? = nil
  ) {
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
  }

  /// No effect.
  package static let none = Effects()

  /// The same with a notification at the end, if there is none.
  var notifying: Effects {
    if contains(.notify) { return self }
    guard second != nil else { return Effects(first, .notify) }
    return third == nil ? Effects(first, second, .notify) : Effects(first, second, third, .notify)
  }

  /// Iterates in order.
  package func makeIterator() -> Iterator {
    Iterator(rest: self)
  }

  /// Returns the effects in order.
  package struct Iterator: IteratorProtocol {
    var rest: Effects

    /// The next effect, or nil at the end.
    package mutating func next() -> Effect? {
      defer { rest = Effects(rest.second, rest.third, rest.fourth) }
      return rest.first
    }
  }
}
