package import AuthCore

/// The operations on groups, each a set of accounts.
extension Backend {
  /// Adds accounts to a group, or removes them from it: all of them, or none after an error.
  ///
  /// At most 50 accounts. An account that is a member already, or is none, stays as it is. The
  /// group needs not exist.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `too_many_groups`),
  ///   `invalid` (`too_many_accounts`), `notPermitted` or `notFresh`.
  package func setMembership(
    _ isMember: Bool, of names: [Username], in group: GroupName, for administrator: AdminSession,
    _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.setMembership, lease.token(with: administrator, fresh)) { (isMember, names, group, $0) }
  }

  /// The groups of the leased session's account, in the order of their names.
  package func groups(under lease: borrowing SessionLease) throws(BackendError) -> [GroupName] {
    try ask(Operations.ownGroups, lease.token()) { $0 }
  }

  /// The groups of an account, in the order of their names.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), or `notPermitted` without
  ///   the role.
  package func groups(
    of name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [GroupName] {
    try ask(Operations.groupsOfAccount, lease.token(with: administrator)) { (name, $0) }
  }

  /// All groups, in the order of their names.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  package func groups(
    _ page: GroupPage, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [GroupName] {
    try ask(Operations.groups, lease.token(with: administrator)) { (page, $0) }
  }

  /// The members of a group, the oldest accounts first; none if there is no such group.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`) if the page comes after
  ///   nobody's account, or `notPermitted` without the role.
  package func members(
    of group: GroupName, _ page: GroupPage, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary] {
    try ask(Operations.members, lease.token(with: administrator)) { (group, page, $0) }
  }
}
