// What the completions of a renewal lead to; the table itself is in Renewing.swift.
extension Renewing {
  func conclude(_ outcome: SessionEvent.Restored, _ machine: inout SessionMachine) -> Reaction {
    switch outcome {
    case .found(let record) where record.grant.id == session.grant.id:
      // Most looks find what is known: then the record stays the same object.
      stay(as: record.grant == session.grant ? session : SessionRecord(record.grant, began: session.began), &machine)
    case .found(let record):
      machine.end(session, .switchedUser, revoking: true, successor: record)
    case .absent:
      machine.end(session, .userAsked, revoking: true)
    case .ended(let reason, let token):
      machine.end(
        session, reason, revoking: token != session.grant.token,
        pending: token == session.grant.token ? nil : token)
    case .obstructed:
      stay(as: session, &machine)
    }
  }

  func conclude(_ outcome: SessionEvent.Authenticated, _ machine: inout SessionMachine) -> Reaction {
    switch outcome {
    case .granted(let record):
      let epoch = machine.nextEpoch()
      return save(record, epoch, .exchange(epoch, old: session, new: record), &machine)
    case .failed:
      return stay(as: session, &machine)
    }
  }

  func conclude(_ outcome: SessionEvent.Renewed, _ machine: inout SessionMachine) -> Reaction {
    switch outcome {
    case .granted(let record) where record.grant.token == session.grant.token:
      return stay(as: record, &machine)
    case .granted(let record):
      let epoch = machine.nextEpoch()
      return save(record, epoch, .exchange(epoch, old: session, new: record), &machine)
    case .ended(let reason):
      return machine.end(session, reason, revoking: false)
    case .superseded:
      return reread(&machine)
    case .failed:
      return stay(as: session, &machine)
    }
  }

  func conclude(_ record: SessionRecord, _ outcome: SessionEvent.Saved, _ machine: inout SessionMachine) -> Reaction {
    switch (outcome, purpose) {
    case (.done, .switchUser):
      machine.end(session, .switchedUser, revoking: true, successor: record)
    case (.done, .activity), (.done, .password), (.done, .check):
      machine.move(.loggedIn(LoggedIn(session: record, renewals: renewals)), Effects(.confirm(record), .notify))
    case (.failed, .switchUser):
      machine.move(.loggedIn(LoggedIn(session: session, renewals: renewals)), Effects(.discard(record), .notify))
    case (.superseded, .switchUser):
      reread(&machine, discarding: record)
    case (.failed, .activity), (.failed, .password), (.failed, .check):
      // The new token was never confirmed, so the one that is kept still works: memory agrees with the disk.
      stay(as: session, &machine)
    case (.superseded, .activity), (.superseded, .password), (.superseded, .check):
      reread(&machine)
    }
  }

  private func stay(as record: SessionRecord, _ machine: inout SessionMachine) -> Reaction {
    machine.move(.loggedIn(LoggedIn(session: record, renewals: renewals)), Effects(.notify))
  }

  private func save(
    _ record: SessionRecord, _ epoch: Epoch, _ effect: Effect, _ machine: inout SessionMachine
  ) -> Reaction {
    machine.move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .saving(record), renewals: renewals)),
      Effects(effect))
  }

  private func reread(_ machine: inout SessionMachine, discarding late: SessionRecord? = nil) -> Reaction {
    let epoch = machine.nextEpoch()
    return machine.move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .rereading, renewals: renewals)),
      late.map { Effects(.discard($0), .read(epoch)) } ?? Effects(.read(epoch)))
  }
}
