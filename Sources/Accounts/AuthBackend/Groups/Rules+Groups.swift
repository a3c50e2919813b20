package import AuthCore

extension Backend {
  /// Adds accounts to a group, or removes them from it: all of them, or none after an error.
  ///
  /// An account that is a member already, or is none, stays as it is.
  ///
  /// - Parameters:
  ///   - isMember: True to add, false to remove.
  ///   - names: Whose accounts; at most 50.
  ///   - group: The group, which needs not exist.
  ///   - administrator: Proves the role.
  ///   - fresh: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `too_many_groups`),
  ///   `invalid` (`too_many_accounts`), `notPermitted` or `notFresh`.
  package func setMembership(
    _ isMember: Bool, of names: [Username], in group: GroupName, for administrator: AdminSession,
    _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(
      Operations.setMembership, isMember, names, group, lease.token(with: administrator.session, fresh.session))
  }

  /// The groups of the leased session's account, in the order of their names.
  package func groups(under lease: borrowing SessionLease) throws(BackendError) -> [GroupName] {
    try ask(Operations.ownGroups, lease.sessionToken)
  }

  /// The groups of an account, in the order of their names.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), or `notPermitted` without
  ///   the role.
  package func groups(
    of name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [GroupName] {
    try ask(Operations.groupsOfAccount, name, lease.token(with: administrator.session))
  }

  /// All groups, in the order of their names.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  package func groups(
    _ page: GroupPage, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [GroupName] {
    try ask(Operations.groups, page, lease.token(with: administrator.session))
  }

  /// The members of a group, the oldest accounts first; none if there is no such group.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`) if the page comes after
  ///   nobody's account, or `notPermitted` without the role.
  package func members(
    of group: GroupName, _ page: GroupPage, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary] {
    try ask(Operations.members, group, page, lease.token(with: administrator.session))
  }
}

extension Rules {
  /// Adds accounts to a group, or removes them from it, with an event for each that changes.
  package func setMembership(
    _ isMember: Bool, of names: [Username], in group: GroupName, token: SessionToken
  ) throws(BackendError) {
    guard names.count <= GroupPolicy.accountsAtOnce else { throw .invalid(.tooManyAccounts, "\(names.count)") }
    try writing(token, Operations.setMembership.needs, .everything) { (db, own) throws(BackendError) in
      for name in names {
        let account = try db.existing(name)
        if try db.has(GroupQuery.isMember, account.id, group.canonical) == isMember { continue }
        if isMember {
          guard try db.groups(of: account.id).count < GroupPolicy.groupsOfAccount else {
            throw .refused(.tooManyGroups, name.canonical)
          }
        }
        try db.run(isMember ? GroupQuery.join : .leave, account.id, group.canonical)
        try db.record(isMember ? .groupJoined : .groupLeft, by: own, to: account.id, detail: group.canonical)
      }
    }
  }

  /// The groups of the session's account.
  package func groups(token: SessionToken) throws(BackendError) -> [GroupName] {
    try reading(token, Operations.ownGroups.needs) { (db, own) throws(BackendError) in try db.groups(of: own.account) }
  }

  /// The groups of an account, for an administrator.
  package func groups(of name: Username, token: SessionToken) throws(BackendError) -> [GroupName] {
    try reading(token, Operations.groupsOfAccount.needs) { (db, _) throws(BackendError) in
      try db.groups(of: try db.existing(name).id)
    }
  }

  /// All groups, for an administrator.
  ///
  /// Each takes one step in the index, however many members it has.
  package func groups(_ page: GroupPage, token: SessionToken) throws(BackendError) -> [GroupName] {
    try reading(token, Operations.groups.needs) { (db, _) throws(BackendError) in
      var (groups, last) = ([GroupName](), page.after?.lowercased() ?? "")
      while groups.count < page.limit, let next: GroupName = try db.first(GroupQuery.next, last) {
        groups.append(next)
        last = next.canonical
      }
      return groups
    }
  }

  /// The members of a group, for an administrator.
  package func members(
    of group: GroupName, _ page: GroupPage, token: SessionToken
  ) throws(BackendError) -> [AccountSummary] {
    try reading(token, Operations.members.needs) { (db, _) throws(BackendError) in
      let last = try page.after.map { (name) throws(BackendError) in try db.existing(try Username(name)).id }
      let rows: [AccountRow] = try db.all(
        AccountSelection.members, group.canonical, last ?? 0, max(0, page.limit))
      return try rows.map { (row) throws(BackendError) in try db.summary(row) }
    }
  }
}

extension Transaction {
  func groups(of account: Int64) throws(BackendError) -> [GroupName] {
    try all(GroupQuery.ofAccount, account, GroupPolicy.groupsOfAccount)
  }
}

extension GroupName: RowDecodable {
  package init(_ row: Row) throws(BackendError) { try self.init(String(row)) }
}

package enum GroupQuery: String, Query {
  case isMember = "SELECT 1 FROM members WHERE account = $1 AND group_name = $2"
  case join = "INSERT INTO members(account, group_name) VALUES ($1, $2)"
  case leave = "DELETE FROM members WHERE account = $1 AND group_name = $2"
  case ofAccount = "SELECT group_name FROM members WHERE account = $1 ORDER BY group_name LIMIT $2"
  case next = "SELECT group_name FROM members WHERE group_name > $1 ORDER BY group_name LIMIT 1"
}
