// The effects of a renewal's completions; the switch over all events is in Renewing.swift.
extension Renewing {
  func conclude(_ outcome: SessionEvent.Restored, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .found(let record) where record.grant.isOfSameSession(as: session.grant):
      // Most checks find nothing new; then the record stays the same object.
      stay(as: record.grant == session.grant ? session : SessionRecord(record.grant, began: session.began), &context)
    case .found(let record):
      context.end(session, .switchedUser, revoking: true, successor: record)
    case .absent:
      context.end(session, .userAsked, revoking: true)
    case .ended(let reason, let token):
      context.end(
        session, reason, revoking: token != session.grant.token,
        pending: token == session.grant.token ? nil : token)
    case .obstructed:
      stay(as: session, &context)
    }
  }

  func conclude(_ outcome: SessionEvent.Authenticated, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .granted(let record):
      return adopt(record, &context)
    case .challenged(let challenge):
      return context.ask(challenge, .session(session, purpose, renewals))
    case .failed:
      return stay(as: session, &context)
    }
  }

  func conclude(_ outcome: SessionEvent.Renewed, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .granted(let record):
      return noted.adopt(record, &context)
    case .challenged(let challenge):
      return context.ask(challenge, .session(session, purpose, renewals))
    case .ended(let reason):
      return context.end(session, reason, revoking: false)
    case .superseded:
      return reread(&context)
    case .failed:
      return stay(as: session, &context)
    }
  }

  /// The same work after the authority noted activity.
  private var noted: Renewing {
    Renewing(session: session, purpose: purpose, epoch: epoch, step: step, renewals: renewals.noted)
  }

  private func adopt(_ record: SessionRecord, _ context: inout TransitionContext) -> Reaction {
    if record.grant.token == session.grant.token { return stay(as: record, &context) }
    let epoch = context.nextEpoch()
    return save(record, epoch, .exchange(epoch, old: session, new: record), &context)
  }

  func conclude(_ record: SessionRecord, _ outcome: SessionEvent.Saved, _ context: inout TransitionContext) -> Reaction
  {
    switch (outcome, purpose) {
    case (.done, .switchUser):
      context.end(session, .switchedUser, revoking: true, successor: record)
    case (.done, .activity), (.done, .password), (.done, .check):
      context.move(
        .loggedIn(LoggedIn(session: record, renewals: renewals, predecessor: .none)), Effects(.confirm(record), .notify)
      )
    case (.failed, .switchUser):
      context.move(
        .loggedIn(LoggedIn(session: session, renewals: renewals, predecessor: .none)),
        Effects(.discard(record), .notify))
    case (.superseded, .switchUser):
      reread(&context, discarding: record)
    case (.failed, .activity), (.failed, .password), (.failed, .check):
      // The new token was never confirmed, so the token in the vault still works: memory agrees
      // with the vault.
      stay(as: session, &context)
    case (.superseded, .activity), (.superseded, .password), (.superseded, .check):
      reread(&context)
    }
  }

  func stay(as record: SessionRecord, _ context: inout TransitionContext) -> Reaction {
    context.move(.loggedIn(LoggedIn(session: record, renewals: renewals, predecessor: .none)), Effects(.notify))
  }

  private func save(
    _ record: SessionRecord, _ epoch: Epoch, _ effect: Effect, _ context: inout TransitionContext
  ) -> Reaction {
    context.move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .saving(record), renewals: renewals)),
      Effects(effect))
  }

  private func reread(_ context: inout TransitionContext, discarding late: SessionRecord? = nil) -> Reaction {
    let epoch = context.nextEpoch()
    return context.move(
      .renewing(
        Renewing(session: session, purpose: purpose, epoch: epoch, step: .rereading, renewals: renewals)),
      late.map { Effects(.discard($0), .read(epoch)) } ?? Effects(.read(epoch)))
  }
}
