/// Which accounts to list, and in which order.
public struct AccountsQuery: Hashable, Sendable {
  /// An order that a backend has an index for.
  public enum Order: String, Hashable, Sendable, CaseIterable {
    /// By name.
    case name = "name"
    /// Those that logged in last come first, and those that never did come last.
    case lastLogin = "last-login"
  }

  /// Only accounts whose names begin with this; empty for all.
  ///
  /// Capital letters mean the same.
  public var namePrefix: String
  /// The order.
  public var order: Order
  /// Only accounts that come after the one of this name; nil begins with the first.
  public var after: String?
  /// How many at most.
  public var limit: Int

  /// Creates a query.
  public init(namePrefix: String = "", order: Order = .name, after: String? = nil, limit: Int) {
    self.namePrefix = namePrefix
    self.order = order
    self.after = after
    self.limit = limit
  }

  /// The first name that may be in the list, and one that is after all that may be.
  ///
  /// A name has nothing before `-` and nothing after `z` in it, and deleted accounts come before.
  package var names: (from: String, to: String) {
    let prefix = namePrefix.lowercased()
    return (max(prefix, DeletedAccount.lastName), prefix + "~")
  }
}
