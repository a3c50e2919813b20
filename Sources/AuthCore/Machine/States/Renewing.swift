/// A session is active and usable, and one piece of work on it is under way.
package struct Renewing: AnsweringState, Hashable, Sendable {
  /// The session; the store makes keys from it.
  package let session: SessionRecord
  /// The purpose of the work.
  package let purpose: Purpose
  /// The epoch of the step under way.
  package let epoch: Epoch
  /// The step under way.
  package let step: Progress
  /// The renewals begun in this window.
  package let renewals: RenewalBudget

  /// The purpose of the work.
  package enum Purpose: String, Hashable, Sendable, CaseIterable {
    /// Activity, which moves the idle limit.
    case activity
    /// A check of the vault and the authority, which moves no limit.
    case check
    /// The password, entered again.
    case password
    /// A switch to another user.
    case switchUser
  }

  /// The steps of the work.
  package enum Progress: Hashable, Sendable {
    /// Waiting for the authority.
    case asking
    /// Saving the grant in the vault.
    case saving(SessionRecord)
    /// Reading the vault again, because another process was faster.
    case rereading
  }

  var permitted: CommandSet {
    switch purpose {
    case .activity: [.renew, .logOut]
    case .check, .password, .switchUser: [.logOut]
    }
  }

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .restore, .logIn:
      return reject(.alreadyLoggedIn)
    case .switchUser, .reauthenticate:
      // At most one authentication is under way. The caller waits for other work.
      return reject(isAuthentication ? .alreadyInProgress : .renewalInProgress)
    case .renew:
      return purpose == .activity ? context.join() : reject(.renewalInProgress)
    case .check:
      // A check does not join: the one under way may have read the vault before the change that
      // this caller knows of.
      return reject(.renewalInProgress)
    case .answer, .cancel:
      return reject(.challengeOver)
    case .logOut:
      return context.end(session, .userAsked, revoking: true, pending: pending)
    case .restored(let epoch, let outcome):
      guard epoch == self.epoch, isReading else { return .ignored(.otherEpoch) }
      return conclude(outcome, &context)
    case .authenticated(let epoch, let outcome):
      guard epoch == self.epoch, purpose == .switchUser, step == .asking else { return .fence(outcome) }
      return conclude(outcome, &context)
    case .renewed(let epoch, let outcome):
      guard epoch == self.epoch, purpose == .activity || purpose == .password, step == .asking else {
        return .fence(outcome, during: session)
      }
      return conclude(outcome, &context)
    case .saved(let epoch, let record, let outcome):
      guard epoch == self.epoch, isSaving(record) else { return .fence(record, outcome) }
      return conclude(record, outcome, &context)
    case .drained, .revoked, .erased, .timedOut:
      return .ignored(.otherEpoch)
    case .limitReached(let record, let limit):
      guard record == session else { return .ignored(.otherSession) }
      return context.end(session, limit.reason, revoking: true, pending: pending)
    case .ended(let began, let reason):
      guard began == session.began else { return .ignored(.otherSession) }
      return context.end(session, reason, revoking: pending != nil, pending: pending)
    }
  }

  /// Whether the work checks a password.
  private var isAuthentication: Bool {
    switch purpose {
    case .password, .switchUser: true
    case .activity, .check: false
    }
  }

  private func isSaving(_ record: SessionRecord) -> Bool {
    switch step {
    case .saving(let kept): kept == record
    case .asking, .rereading: false
    }
  }

  private var isReading: Bool {
    switch step {
    case .asking: purpose == .check
    case .rereading: true
    case .saving: false
    }
  }

  private var pending: SessionToken? {
    switch step {
    case .saving(let record): record.grant.token
    case .asking, .rereading: nil
    }
  }
}
