/// The requirements of a rule on its session, which must also be active.
package struct SessionNeeds: Hashable, Sendable {
  /// For administrators only: what they read or change, with which a refusal is recorded.
  package let role: String?
  /// That the password was entered recently.
  package let isFresh: Bool
  /// Also permitted to a user who must set up a second step first.
  package let beforeTwoStep: Bool

  /// That it is active and no more, unless the parameters say so.
  package init(role: String? = nil, isFresh: Bool = false, beforeTwoStep: Bool = false) {
    (self.role, self.isFresh, self.beforeTwoStep) = (role, isFresh, beforeTwoStep)
  }

  /// That the password was entered recently.
  package static let recentPassword = SessionNeeds(isFresh: true)
  /// Also permitted to a user who must set up a second step first.
  package static let beforeTwoStep = SessionNeeds(beforeTwoStep: true)

  /// For administrators only, of what they read or change.
  package static func role(_ role: String, isFresh: Bool = false) -> SessionNeeds {
    SessionNeeds(role: role, isFresh: isFresh)
  }
}
