import AuthCore

/// The requirements of a rule on its session, which must also be active.
package struct SessionNeeds: Hashable, Sendable {
  /// For administrators only: what they read or change, with which a refusal is recorded.
  package var role: String?
  /// That the password was entered recently.
  package var isFresh = false
  /// Also permitted to a user who must set up a second step first.
  package var beforeTwoStep = false

  package static let active = SessionNeeds()
  package static let beforeTwoStep = SessionNeeds(beforeTwoStep: true)
}

/// What an operation needs of a session, and the type of the key that proves it: ``NoSession``,
/// ``ActiveSession``, `FreshSession`, `AdminSession` or ``FreshAdminSession``.
package struct KeyNeeds<Key>: Sendable {
  /// What the rule checks again; nil for an operation without a session.
  let session: SessionNeeds?
}

/// The key of an operation that takes no lease.
package enum NoSession {}
/// The key of an operation for which a lease is enough.
package enum ActiveSession {}
/// The key of an operation for administrators whose password was entered recently.
package enum FreshAdminSession {}

extension KeyNeeds<NoSession> {
  static var noSession: KeyNeeds { KeyNeeds(session: nil) }
}

extension KeyNeeds<ActiveSession> {
  static var active: KeyNeeds { KeyNeeds(session: .active) }
  /// Also permitted to a user who must set up a second step first.
  static var beforeTwoStep: KeyNeeds { KeyNeeds(session: .beforeTwoStep) }
}

extension KeyNeeds<FreshSession> {
  static var recentPassword: KeyNeeds { KeyNeeds(session: SessionNeeds(isFresh: true)) }
  /// Also permitted to a user who must set up a second step first.
  static var recentPasswordBeforeTwoStep: KeyNeeds {
    KeyNeeds(session: SessionNeeds(isFresh: true, beforeTwoStep: true))
  }
}

extension KeyNeeds<AdminSession> {
  /// For administrators only, of what they read or change.
  static func role(_ role: String) -> KeyNeeds { KeyNeeds(session: SessionNeeds(role: role)) }
}

extension KeyNeeds<FreshAdminSession> {
  /// For administrators only, of what they read or change, and that the password was entered
  /// recently.
  static func roleAndRecentPassword(_ role: String) -> KeyNeeds {
    KeyNeeds(session: SessionNeeds(role: role, isFresh: true))
  }
}
