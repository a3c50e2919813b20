import AuthCore

/// What one would write without a library, for one user and no renewals: an enum, one `switch`, the
/// same payloads, the same answers.
struct HandWrittenMachine {
  enum State {
    case loggedOut(LogoutReason)
    case authenticating(Epoch)
    case saving(Epoch, SessionRecord)
    case loggedIn(SessionRecord)
    case draining(Epoch, SessionRecord)
    case revoking(Epoch, SessionRecord)
    case erasing(Epoch, SessionRecord)
  }

  private(set) var state = State.loggedOut(.neverLoggedIn)
  private(set) var last = Epoch(0)

  private mutating func next() -> Epoch {
    last = Epoch(last.number + 1)
    return last
  }

  // In a module of its own the machine under test is a call too.
  @inline(never)
  mutating func handle(_ event: SessionEvent) -> Reaction {
    switch (state, event) {
    case (.loggedOut, .logIn):
      let epoch = next()
      state = .authenticating(epoch)
      return moved(.loggedOut, .authenticating, Effects(.authenticate(epoch), .notify))
    case (.authenticating(let own), .authenticated(let epoch, .granted(let record))) where own == epoch:
      let epoch = next()
      state = .saving(epoch, record)
      return moved(.authenticating, .authenticating, Effects(.save(epoch, record)))
    case (.saving(let own, let kept), .saved(let epoch, let record, .done)) where own == epoch && kept == record:
      state = .loggedIn(record)
      return moved(.authenticating, .loggedIn, Effects(.notify))
    case (.loggedIn(let record), .logOut):
      let epoch = next()
      state = .draining(epoch, record)
      return moved(.loggedIn, .loggingOut, Effects(.closeKeys(record.began, .userAsked), .notify, .drain(epoch)))
    case (.draining(let own, let record), .drained(let epoch)) where own == epoch:
      let epoch = next()
      state = .revoking(epoch, record)
      return moved(
        .loggingOut, .loggingOut, Effects(.revoke(epoch, Effect.Targets(record.grant.token), .userAsked)))
    case (.revoking(let own, let record), .revoked(let epoch, true)) where own == epoch:
      let epoch = next()
      state = .erasing(epoch, record)
      return moved(.loggingOut, .loggingOut, Effects(.erase(epoch, Effect.Targets(record.grant.token))))
    case (.erasing(let own, _), .erased(let epoch, _)) where own == epoch:
      state = .loggedOut(.ended(.userAsked))
      return moved(.loggingOut, .loggedOut, Effects(.notify))
    case _:
      return .ignored(.otherEpoch, .none)
    }
  }

  private func moved(_ from: SessionState.Kind, _ to: SessionState.Kind, _ effects: Effects) -> Reaction {
    .transition(Transition(from: from, to: to, effects: effects))
  }
}
