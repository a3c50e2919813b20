// What the completions of a renewal lead to; the table itself is in Renewing.swift.
extension Renewing {
  func conclude(_ outcome: SessionEvent.Restored, _ epochs: inout EpochCounter) -> Step {
    switch outcome {
    case .found(let record) where record.grant.id == session.grant.id:
      stay(as: SessionRecord(record.grant, began: session.began))
    case .found(let record):
      .end(session, .switchedUser, revoking: true, successor: record, &epochs)
    case .absent:
      .end(session, .userAsked, revoking: true, &epochs)
    case .ended(let reason, let token):
      .end(
        session, reason, revoking: token != session.grant.token,
        pending: token == session.grant.token ? nil : token, &epochs)
    case .obstructed:
      stay(as: session)
    }
  }

  func conclude(_ outcome: SessionEvent.Authenticated, _ epochs: inout EpochCounter) -> Step {
    switch outcome {
    case .granted(let record):
      let epoch = epochs.next()
      return save(record, epoch, .exchange(epoch, old: session, new: record))
    case .failed:
      return stay(as: session)
    }
  }

  func conclude(_ outcome: SessionEvent.Renewed, _ epochs: inout EpochCounter) -> Step {
    switch outcome {
    case .granted(let record) where record.grant.token == session.grant.token:
      return stay(as: record)
    case .granted(let record):
      let epoch = epochs.next()
      return save(record, epoch, .exchange(epoch, old: session, new: record))
    case .ended(let reason):
      return .end(session, reason, revoking: false, &epochs)
    case .superseded:
      return reread(&epochs)
    case .failed:
      return stay(as: session)
    }
  }

  func conclude(_ record: SessionRecord, _ outcome: SessionEvent.Saved, _ epochs: inout EpochCounter) -> Step {
    switch (outcome, purpose) {
    case (.done, .switchUser):
      .end(session, .switchedUser, revoking: true, successor: record, &epochs)
    case (.done, .activity), (.done, .password), (.done, .check):
      .move(.loggedIn(LoggedIn(session: record, renewals: renewals)), Effects(.confirm(record), .notify))
    case (.failed, .switchUser):
      .move(.loggedIn(LoggedIn(session: session, renewals: renewals)), Effects(.discard(record), .notify))
    case (.superseded, .switchUser):
      reread(&epochs, discarding: record)
    case (.failed, .activity), (.failed, .password), (.failed, .check):
      // The new token was never confirmed, so the one that is kept still works: memory agrees with the disk.
      stay(as: session)
    case (.superseded, .activity), (.superseded, .password), (.superseded, .check):
      reread(&epochs)
    }
  }

  private func stay(as record: SessionRecord) -> Step {
    .move(.loggedIn(LoggedIn(session: record, renewals: renewals)), Effects(.notify))
  }

  private func save(_ record: SessionRecord, _ epoch: Epoch, _ effect: Effect) -> Step {
    .move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .saving(record), renewals: renewals)),
      Effects(effect))
  }

  private func reread(_ epochs: inout EpochCounter, discarding late: SessionRecord? = nil) -> Step {
    let epoch = epochs.next()
    return .move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .rereading, renewals: renewals)),
      late.map { Effects(.discard($0), .read(epoch)) } ?? Effects(.read(epoch)))
  }
}
