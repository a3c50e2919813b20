import AuthBackend
import AuthCore
import AuthLocal
import Guards

/// The administrator's screens: accounts, and what may be changed about them.
final class AccountsScreen: LiveScreen, RunsOnce {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// A change to an account.
  enum Change { case disable, enable, unlock }

  /// Loads a page, by name.
  func page(
    of authority: LocalAuthority, after: String?, limit: Int, for administrator: AdminSession
  ) throws(LeaseError<LocalFailure>) -> Page<AccountSummary> {
    try session.withLease { (lease) throws(LocalFailure) in
      try noteView(at: authority, for: administrator, under: lease)
      return Page(
        of: limit, from: try authority.accounts(after: after, limit: limit + 1, for: administrator, under: lease))
    }
  }

  /// Loads one.
  func account(
    _ name: Username, at authority: LocalAuthority, for administrator: AdminSession
  ) throws(LeaseError<LocalFailure>) -> AccountSummary {
    try session.withLease { (lease) throws(LocalFailure) in
      try noteView(at: authority, for: administrator, under: lease)
      return try authority.account(named: name, for: administrator, under: lease)
    }
  }

  /// Changes one.
  func change(
    _ change: Change, _ name: Username, at authority: LocalAuthority, for administrator: AdminSession,
    _ fresh: FreshSession
  ) throws(LeaseError<LocalFailure>) -> AccountSummary {
    try session.withLease { (lease) throws(LocalFailure) in
      switch change {
      case .disable: try authority.setDisabled(true, account: name, for: administrator, fresh, under: lease)
      case .enable: try authority.setDisabled(false, account: name, for: administrator, fresh, under: lease)
      case .unlock: try authority.unlock(account: name, for: administrator, fresh, under: lease)
      }
    }
  }

  /// Looking at other people's accounts is an event, once in the life of the screen however many pages it shows.
  private func noteView(
    at authority: LocalAuthority, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(LocalFailure) {
    try runOnceUntilSuccess { () throws(LocalFailure) in
      try authority.noteView(of: "accounts", for: administrator, under: lease)
    }
  }
}
