/// Which accounts to list, and in which order.
package struct AccountsQuery: Hashable, Sendable {
  /// An order of the accounts: one of those for which every backend has an index, so that a page
  /// needs no sorting of all accounts.
  package enum Order: String, Hashable, Sendable, CaseIterable {
    /// In the order of the user names.
    case name = "name"
    /// Those that logged in last come first, and those that never did come last.
    case lastLogin = "last-login"
  }

  /// Only accounts whose names begin with this; empty for all.
  ///
  /// Capital letters mean the same.
  package var namePrefix: String
  /// The order of the accounts in the list.
  package var order: Order
  /// Only accounts that come after the one of this name; nil begins with the first.
  package var after: String?
  /// The most accounts to return.
  package var limit: Int

  /// Creates a query for a page of accounts.
  package init(namePrefix: String = "", order: Order = .name, after: String? = nil, limit: Int) {
    self.namePrefix = namePrefix
    self.order = order
    self.after = after
    self.limit = limit
  }
}
