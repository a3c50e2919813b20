import AuthAccounts
import AuthCore
import AuthCoreTesting

extension Sample {
  static let administration = [
    Sample(Operations.events) { (.own, $0.eventPage, $0.token) },
    Sample(Operations.allEvents) { (.everyone, $0.eventPage, $0.token) },
    Sample(Operations.accounts) { ($0.accountsQuery, $0.token) },
    Sample(Operations.account) { ($0.username, $0.token) },
    Sample(Operations.setDisabled) { ($0.isDisabled, $0.username, $0.token) },
    Sample(Operations.unlock) { ($0.username, $0.token) },
    Sample(Operations.setRole) { ($0.role, $0.username, $0.token) },
    Sample(Operations.noteView) { ($0.subject, $0.token) },
  ]
}

extension BackendContract {
  static let events: [Check] = [
    Check("events of an account come newest first, in pages, and since a time") { probe in
      try probe.register("alice")
      try probe.register("bob")
      try await probe.guess("bob", times: 1)
      // The clock may stand still until the test moves it.
      await probe.subject.advance(.milliseconds(1))
      let bob = try await probe.logIn("bob")
      try bob.rename("Bobby").value()
      let all = try bob.events().value()
      try require(
        all.map(\.name), is: ["user_updated", "authn_login_successafterfail", "authn_login_fail", "user_created"],
        "the events of the account are")
      try require(all.allSatisfy { $0.account == "bob" }, "events of another account are among them")
      try require(
        all[0].session == bob.id && all[0].actor == "bob" && all[2].session == nil,
        "the newest event names the session \(String(describing: all[0].session))")
      try requirePages(of: all, \.id, \.at) { bob.events(.own, $0) }
    },

    Check("events can be filtered by a text in their columns") { probe, alice, bob in
      try bob.rename("Bobby").value()
      let all = try alice.events(.everyone).value()
      for text in ["USER_updated", "bob", bob.id.rawValue.uppercased(), "no such text", "%", "a_th", "!"] {
        let wanted = all.filter { event in
          let parts = [event.name, event.account, event.actor, event.session?.rawValue, event.detail]
          return parts.contains { $0?.lowercased().contains(text.lowercased()) == true }
        }
        let found = try alice.events(.everyone, Page(matching: text)).value()
        try require(found, is: wanted, "the events that contain \(text) are")
        let own = try bob.events(.own, Page(matching: text)).value()
        try require(own, is: wanted.filter { $0.account == "bob" }, "your events that contain \(text) are")
      }
      let newest = try alice.events(.everyone, Page(matching: "bob", limit: 1)).value()
      let older = try alice.events(.everyone, Page(matching: "bob", before: newest.first?.id, limit: 1)).value()
      try require(
        newest + older == Array(all.filter { $0.account == "bob" }.prefix(2)), "the pages of a filter are wrong")
    },

    Check("an administrator sees every account's events, and that others were looked at") { probe, alice, bob in
      try bob.rename("Bobby").value()
      let all = try alice.events(.everyone).value()
      try require(Set(all.compactMap(\.account)) == ["alice", "bob"], "all events are of \(Set(all.map(\.account)))")
      try requirePages(of: all, \.id, \.at) { alice.events(.everyone, $0) }
      try alice.noteView("accounts").value()
      let noted = try alice.events(.own, Page(limit: 1)).value().first
      try require(
        noted?.name == "sensitive_read" && noted?.detail == "accounts" && noted?.actor == "alice",
        "after noteView the newest event is \(String(describing: noted))")
    },
  ]

  static let administration: [Check] = [
    Check("accounts come in the order of their names, in pages") { probe in
      for name in ["alice", "carol", "bob"] { try probe.register(name) }
      let alice = try await probe.logIn("alice")
      try alice.requireAccounts(AccountsQuery(limit: 50), ["alice", "bob", "carol"], "in one page")
      try alice.requireAccounts(AccountsQuery(limit: 2), ["alice", "bob"], "in a page of two")
      try alice.requireAccounts(AccountsQuery(after: "alice", limit: 50), ["bob", "carol"], "after alice")
      try require(
        alice.account("bob").value(), is: alice.accounts().value()[1], "one account, which is in the list, is")
      try alice.account("dave").refused("an unknown account", with: "account_not_found")
    },

    Check("accounts can be listed by the prefix of their names") { probe, alice, _ in
      for name in ["carol", "car", "carl-2", "cas"] { try probe.register(name) }
      for (prefix, after, names) in [
        ("car", nil, ["car", "carl-2", "carol"]), ("CAR", nil, ["car", "carl-2", "carol"]),
        ("car", "car", ["carl-2", "carol"]), ("ca", "a", ["car", "carl-2", "carol"]),
        ("x", nil, []), ("car%", nil, []), ("#", nil, []), ("é", nil, []),
      ] as [(String, String?, [String])] {
        let query = AccountsQuery(namePrefix: prefix, after: after, limit: 3)
        try alice.requireAccounts(query, names, "of \(prefix) after \(after ?? "the start")")
      }
    },

    Check("accounts can be listed by their last login") { probe, alice, _ in
      try probe.register("carol")
      try require(alice.account("carol").value().lastLoginAt, is: nil, "before a login there was one at")
      for name in ["alice", "bob", "carol", "bob"] {
        await probe.subject.advance(.seconds(1))
        _ = try await probe.logIn(name)
      }
      var query = AccountsQuery(order: .lastLogin, limit: 50)
      // Whoever never logged in comes last.
      try probe.register("dave")
      try alice.requireAccounts(query, ["bob", "carol", "alice", "dave"], "by their last login")
      query.limit = 1
      try alice.requireAccounts(query, ["bob"], "in a page of one")
      query.after = "bob"
      try alice.requireAccounts(query, ["carol"], "after bob")
      query.namePrefix = "al"
      try alice.requireAccounts(query, ["alice"], "of al after bob")
      query.after = "nobody"
      try alice.accounts(query).refused("a page after nobody", with: "account_not_found")
    },

    Check("a disabled account's sessions end, and its password looks wrong until it is enabled") { probe, alice, bob in
      try require(try alice.setDisabled(true, "bob").value().isDisabled, "the answer is not disabled")
      try require(try alice.setDisabled(true, "bob").value("disabling again").isDisabled, "the answer is not disabled")
      try require(try alice.account("bob").value().isDisabled, "the account is not disabled")
      try bob.profile().ended("a session of a disabled account", .accountDisabled)
      try await probe.requireFailure("a login of a disabled account", of: "bob")
      try require(try !alice.setDisabled(false, "bob").value("enabling").isDisabled, "the answer is still disabled")
      try bob.profile().ended("an old session after enabling", .accountDisabled)
      _ = try await probe.logIn("bob")
      try alice.setDisabled(true, "dave").refused("disabling nobody", with: "account_not_found")
      try alice.unlock("dave").refused("unlocking nobody", with: "account_not_found")
    },

    Check("the last administrator cannot be disabled") { probe, alice, _ in
      try alice.setDisabled(true, "alice").refused("disabling the last administrator", with: "last_administrator")
      try alice.profile().value("the session of the last administrator")
    },

    Check("a role can be given and taken away, and a session follows at once") { probe, alice, _ in
      try require(alice.setRole(.administrator, "bob").value().user.role, is: .administrator, "the given role is")
      let bob = try await probe.logIn("bob")
      try bob.accounts().value("accounts of a new administrator")
      try require(bob.setRole(.member, "alice").value().user.role, is: .member, "without a role there is")
      try alice.accounts().refused("accounts of a former administrator", with: "not_permitted", .notPermitted)
      try alice.profile().value("the session of a former administrator")
      let names = try bob.events(.everyone).value().map { "\($0.name) \($0.detail ?? "")" }
      for change in ["member to administrator", "administrator to member"] {
        try require(names.contains("authz_change \(change)"), "the changes of roles left only the events \(names)")
      }
      try bob.setRole(.member, "dave").refused("demoting nobody", with: "account_not_found")
    },

    Check("the last administrator cannot be demoted or deleted") { _, alice, _ in
      try alice.pay(100_00, to: "bob").value()
      for _ in 1...2 {
        try alice.setRole(.member, "alice").refused("demoting the last administrator", with: "last_administrator")
        try alice.deleteAccount("alice").refused("deleting the last administrator", with: "last_administrator")
        try alice.deleteAccount().refused("deleting the last administrator", with: "last_administrator")
        // A disabled administrator cannot enable accounts.
        try alice.setRole(.administrator, "bob").value()
        try alice.setDisabled(true, "bob").value()
      }
      try alice.setDisabled(false, "bob").value()
      try require(alice.setRole(.member, "alice").value().user.role, is: .member, "one of two administrators stays")
    },

    Check("an administrator's operation needs the role, whatever the key says, and a refusal is an event") {
      probe, alice, _ in
      // Of one session not so many refusals become events.
      let sessions = [try await probe.logIn("bob"), try await probe.logIn("bob")]
      var refusals = 0
      for (half, login) in sessions.enumerated() {
        let requests = try probe.requests(of: login, other: alice).filter { $0.operation.needs?.role != nil }
        for (number, request) in requests.enumerated() where number % 2 == half {
          let name = request.operation.name
          try probe.ask(request).refused("\(name) of a member", with: "not_permitted", .notPermitted)
          refusals += 1
        }
      }
      try require(try !alice.account("alice").value().isDisabled, "a member disabled an account")
      let names = try sessions[0].events().value().map(\.name)
      try require(names.count { $0 == "authz_fail" }, is: refusals, "of the refusals events are")
      try require(!names.contains("sensitive_read"), "a refused look was recorded as one")
    },
  ]
}

/// Requires that a list with more than two rows comes newest first, in pages, and within times.
func requirePages<Row: Equatable>(
  of all: [Row], _ id: (Row) -> Int64, _ time: (Row) -> WallTime, _ read: (Page) -> Answer<[Row]>
) throws {
  func require(_ page: Page, is rows: [Row], _ finding: String) throws {
    try AuthCoreTesting.require(try read(page).value("a page"), is: rows, finding)
  }
  let newest = time(all[0])
  let later = WallTime(microseconds: newest.microseconds + 1)
  try AuthCoreTesting.require(all.map(id) == all.map(id).sorted(by: >), "the numbers do not grow with time")
  try require(Page(limit: 2), is: Array(all[..<2]), "a page of two is")
  try require(Page(limit: 0), is: [], "a page of none is")
  try require(Page(before: id(all[1])), is: Array(all[2...]), "a page before a row is")
  try require(
    Page(within: TimeSpan(since: newest)), is: all.filter { time($0) >= newest }, "since the newest there are")
  try require(Page(within: TimeSpan(until: newest)), is: all.filter { time($0) < newest }, "until the newest there are")
  try require(Page(within: TimeSpan(since: later)), is: [], "of the future there are")
}

extension Login {
  /// Requires how many attempts an account counts, and why the next one would be denied.
  func requireAttempts(of name: String, _ count: Int64, _ throttle: Throttle?, _ when: String) throws {
    let account = try account(name).value()
    try require(account.failedAttempts, is: count, "\(when) the failed attempts are")
    try require(account.throttle, is: throttle, "\(when) the throttle is")
  }

  fileprivate func requireAccounts(_ query: AccountsQuery, _ names: [String], _ which: String) throws {
    try require(accounts(query).value().map(\.user.username), is: names, "\(which) the accounts are")
  }
}
