// What the completions of a renewal lead to; the table itself is in Renewing.swift.
extension Renewing {
  func conclude(_ outcome: SessionEvent.Restored, _ turn: inout Turn) -> Reaction {
    switch outcome {
    case .found(let record) where record.grant.isOfSameSession(as: session.grant):
      // Most looks find what is known: then the record stays the same object.
      stay(as: record.grant == session.grant ? session : SessionRecord(record.grant, began: session.began), &turn)
    case .found(let record):
      turn.end(session, .switchedUser, revoking: true, successor: record)
    case .absent:
      turn.end(session, .userAsked, revoking: true)
    case .ended(let reason, let token):
      turn.end(
        session, reason, revoking: token != session.grant.token,
        pending: token == session.grant.token ? nil : token)
    case .obstructed:
      stay(as: session, &turn)
    }
  }

  func conclude(_ outcome: SessionEvent.Authenticated, _ turn: inout Turn) -> Reaction {
    switch outcome {
    case .granted(let record):
      let epoch = turn.nextEpoch()
      return save(record, epoch, .exchange(epoch, old: session, new: record), &turn)
    case .failed:
      return stay(as: session, &turn)
    }
  }

  func conclude(_ outcome: SessionEvent.Renewed, _ turn: inout Turn) -> Reaction {
    switch outcome {
    case .granted(let record) where record.grant.token == session.grant.token:
      return stay(as: record, &turn)
    case .granted(let record):
      let epoch = turn.nextEpoch()
      return save(record, epoch, .exchange(epoch, old: session, new: record), &turn)
    case .ended(let reason):
      return turn.end(session, reason, revoking: false)
    case .superseded:
      return reread(&turn)
    case .failed:
      return stay(as: session, &turn)
    }
  }

  func conclude(_ record: SessionRecord, _ outcome: SessionEvent.Saved, _ turn: inout Turn) -> Reaction {
    switch (outcome, purpose) {
    case (.done, .switchUser):
      turn.end(session, .switchedUser, revoking: true, successor: record)
    case (.done, .activity), (.done, .password), (.done, .check):
      turn.move(.loggedIn(LoggedIn(session: record, renewals: renewals)), Effects(.confirm(record), .notify))
    case (.failed, .switchUser):
      turn.move(.loggedIn(LoggedIn(session: session, renewals: renewals)), Effects(.discard(record), .notify))
    case (.superseded, .switchUser):
      reread(&turn, discarding: record)
    case (.failed, .activity), (.failed, .password), (.failed, .check):
      // The new token was never confirmed, so the one that is kept still works: memory agrees with the disk.
      stay(as: session, &turn)
    case (.superseded, .activity), (.superseded, .password), (.superseded, .check):
      reread(&turn)
    }
  }

  func stay(as record: SessionRecord, _ turn: inout Turn) -> Reaction {
    turn.move(.loggedIn(LoggedIn(session: record, renewals: renewals)), Effects(.notify))
  }

  private func save(
    _ record: SessionRecord, _ epoch: Epoch, _ effect: Effect, _ turn: inout Turn
  ) -> Reaction {
    turn.move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .saving(record), renewals: renewals)),
      Effects(effect))
  }

  private func reread(_ turn: inout Turn, discarding late: SessionRecord? = nil) -> Reaction {
    let epoch = turn.nextEpoch()
    return turn.move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .rereading, renewals: renewals)),
      late.map { Effects(.discard($0), .read(epoch)) } ?? Effects(.read(epoch)))
  }
}
