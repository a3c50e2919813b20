public import AuthCore

/// One's own account.
public struct Profile: Hashable, Sendable {
  /// Who.
  public let user: User
  /// What the account holds, in minor units.
  public let balance: Int64
  /// When the account was made, by the wall clock.
  public let createdAt: WallTime

  /// Creates a value, for a backend to answer with.
  public init(user: User, balance: Int64, createdAt: WallTime) {
    self.user = user
    self.balance = balance
    self.createdAt = createdAt
  }
}
