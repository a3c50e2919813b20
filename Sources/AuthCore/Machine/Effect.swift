/// Work that the store does for the machine, as data.
///
/// An effect with an epoch comes back as a completion with that epoch, exactly once; it may be late
/// for its time limit. Those without are not waited for.
package enum Effect: Hashable, Sendable {
  /// Load the vault, and ask the authority about the token that is there.
  case read(Epoch)
  /// Ask the authority about the credentials of the caller.
  case authenticate(Epoch)
  /// Ask the authority about the password of the caller.
  case reauthenticate(Epoch, SessionRecord)
  /// Report activity to the authority.
  case renew(Epoch, SessionRecord)
  /// Keep the record's token in the vault, and revoke a token that was there.
  case save(Epoch, SessionRecord)
  /// Keep the new record's token in the vault if it holds the old one's.
  case exchange(Epoch, old: SessionRecord, new: SessionRecord)
  /// Wait until no lease is running.
  case drain(Epoch)
  /// End the sessions of these tokens at the authority.
  case revoke(Epoch, Targets, EndReason)
  /// Erase these tokens from the vault; another one stays.
  case erase(Epoch, Targets)
  /// Revoke and erase whatever the vault holds, what is corrupt being set aside.
  case forget(Epoch)

  /// Tell the authority that the record's token is kept.
  case confirm(SessionRecord)
  /// From now on every key and every new lease of the session that began in the epoch says that it is over.
  case closeKeys(Epoch)
  /// Revoke a grant that came too late.
  case discard(SessionRecord)
  /// Revoke a grant that came too late, and erase it from the vault, where it landed.
  case discardSaved(SessionRecord)
  /// Tell observers of the new state.
  case notify

  /// One or two tokens of the session that is to end; the second is one whose write was under way.
  package struct Targets: Hashable, Sendable {
    /// The token of the session.
    package let token: SessionToken
    /// A token that may have come to the vault in its place.
    package let pending: SessionToken?

    /// Creates targets.
    package init(_ token: SessionToken, pending: SessionToken? = nil) {
      self.token = token
      self.pending = pending
    }
  }
}

/// Up to three effects, in the order in which they are to happen, without an allocation.
package struct Effects: Hashable, Sendable, Sequence {
  /// The first effect.
  package let first: Effect?
  /// The second effect.
  package let second: Effect?
  /// The third effect.
  package let third: Effect?

  /// Creates a list.
  package init(_ first: Effect? = nil, _ second: Effect? = nil, _ third: Effect? = nil) {
    self.first = first
    self.second = second
    self.third = third
  }

  /// No effect.
  package static let none = Effects()

  /// Iterates in order.
  package func makeIterator() -> Iterator {
    Iterator(rest: self)
  }

  /// Hands out the effects of a list in order.
  package struct Iterator: IteratorProtocol {
    var rest: Effects

    /// The next effect, or nil at the end.
    package mutating func next() -> Effect? {
      defer { rest = Effects(rest.second, rest.third) }
      return rest.first
    }
  }
}
