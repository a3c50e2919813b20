package import AuthAccounts
package import AuthCore

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

  package func groups(token: SessionToken) throws(BackendError) -> [GroupName] {
    try reading(token, Operations.ownGroups.needs) { (db, own) throws(BackendError) in try db.groups(of: own.account) }
  }

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
