package import AuthCore

/// An account, as an administrator sees it.
package struct AccountSummary: Hashable, Sendable {
  /// The user of the account.
  package let user: User
  /// Whether an administrator disabled it.
  package let isDisabled: Bool
  /// When it was created, by the wall clock.
  package let createdAt: WallTime
  /// Consecutive failed attempts, including those that were denied without a check.
  package let failedAttempts: Int64
  /// The reason to deny the next attempt; nil if it would be checked.
  package let throttle: Throttle?
  /// When its last session began, by the wall clock; nil before the first one.
  package let lastLoginAt: WallTime?

  /// Whether a login asks for a code after the password.
  package let hasSecondStep: Bool

  /// Creates a value, for a backend to answer with.
  package init(
    user: User, isDisabled: Bool, createdAt: WallTime, failedAttempts: Int64, throttle: Throttle?,
    lastLoginAt: WallTime? = nil, hasSecondStep: Bool = false
  ) {
    self.user = user
    self.isDisabled = isDisabled
    self.createdAt = createdAt
    self.failedAttempts = failedAttempts
    self.throttle = throttle
    self.lastLoginAt = lastLoginAt
    self.hasSecondStep = hasSecondStep
  }
}

/// The account of a session's user.
package struct Profile: Hashable, Sendable {
  /// The user of the account.
  package let user: User
  /// The balance of the account, in minor units.
  package let balance: Int64
  /// When the account was created, by the wall clock.
  package let createdAt: WallTime

  /// Creates a value, for a backend to answer with.
  package init(user: User, balance: Int64, createdAt: WallTime) {
    self.user = user
    self.balance = balance
    self.createdAt = createdAt
  }
}

/// An account that was deleted.
package enum DeletedAccount {
  /// The name of a deleted account in the receipts and events of other users.
  ///
  /// It has a space in it, so no account can have this name.
  package static let shownName = "deleted account"

  /// The prefix of the stored names of deleted accounts: no user name has it, and it sorts before
  /// all.
  package static let namePrefix = "#"

  /// Sorts after the stored names of deleted accounts and before all user names.
  package static let lastName = "/"

  /// The form of a stored name that screens show.
  package static func shown(_ stored: String?) -> String? {
    stored?.hasPrefix(namePrefix) == true ? shownName : stored
  }
}

/// Who may create accounts.
///
/// The raw values are stored and printed, so they never change.
package enum Registration: String, Hashable, Sendable, CaseIterable {
  /// Everybody may create an account.
  case open = "open"
  /// Only administrators may create accounts.
  case closed = "closed"
}
