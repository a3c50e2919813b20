import AuthBackend
import AuthCore
import Guards

/// The administrator's screens: accounts, and what may be changed about them.
final class AccountsScreen: LiveScreen, RunsOnce {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads a page of as many as the query wants, or fewer.
  func page(
    _ query: AccountsQuery, of backend: any Backend, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> Page<AccountSummary> {
    try noteView(at: backend, for: administrator, under: lease)
    var oneMore = query
    oneMore.limit += 1
    return Page(of: query.limit, from: try backend.accounts(oneMore, for: administrator, under: lease))
  }

  /// Loads one.
  func account(
    _ name: Username, at backend: any Backend, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try noteView(at: backend, for: administrator, under: lease)
    return try backend.account(named: name, for: administrator, under: lease)
  }

  /// Looking at other people's accounts is an event, once in the life of the screen however many
  /// pages it shows.
  private func noteView(
    at backend: any Backend, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try runOnce(untilSuccess: true) { () throws(BackendError) in
      try backend.noteView(of: "accounts", for: administrator, under: lease)
    }
  }
}

/// A change to an account; its name is that of the command.
enum AccountChange: String {
  case disable, enable, unlock, promote, demote

  /// What help says of the command, what it does to bob, and what an account is afterwards.
  var words: (summary: String, shows: String, done: String) {
    switch self {
    case .disable:
      ("Disable an account and end its sessions", "ends bob's sessions and refuses new ones", "disabled")
    case .enable: ("Enable a disabled account", "lets bob log in again", "enabled")
    case .unlock: ("Clear the wait after wrong passwords", "lets bob try passwords again", "unlocked")
    case .promote: ("Make an account an administrator's", "lets bob change accounts", "an administrator")
    case .demote: ("Make an administrator a member again", "takes the role away from bob", "a member")
    }
  }

  /// Makes the change.
  func make(
    to name: Username, at backend: any Backend, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    switch self {
    case .disable: try backend.setDisabled(true, account: name, for: administrator, fresh, under: lease)
    case .enable: try backend.setDisabled(false, account: name, for: administrator, fresh, under: lease)
    case .unlock: try backend.unlock(account: name, for: administrator, fresh, under: lease)
    case .promote: try backend.setRole(.administrator, account: name, for: administrator, fresh, under: lease)
    case .demote: try backend.setRole(.member, account: name, for: administrator, fresh, under: lease)
    }
  }
}
