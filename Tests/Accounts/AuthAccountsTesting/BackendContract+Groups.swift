import AuthAccounts
import AuthCore
import AuthCoreTesting

extension Sample {
  static let groups = [
    Sample(Operations.setMembership) { ($0.isMember, [$0.username], try $0.group, $0.token) },
    Sample(Operations.ownGroups) { $0.token },
    Sample(Operations.groupsOfAccount) { ($0.username, $0.token) },
    Sample(Operations.groups) { ($0.groupPage, $0.token) },
    Sample(Operations.members) { (try $0.group, $0.memberPage, $0.token) },
    Sample(Operations.prove) { ($0.username, $0.token) },
    Sample(Operations.verify) { ($0.proof, $0.token) },
  ]
}

extension BackendContract {
  static let groups: [Check] = [
    Check("an administrator adds accounts to groups and removes them, and each sees its own") { _, alice, bob in
      try alice.join("release", "bob", "ALICE").value()
      try alice.join("Ops", "bob").value()
      try alice.join("ops", "bob").value("adding a member again")
      try require(bob.groups().value().map(\.canonical), is: ["ops", "release"], "bob sees the groups")
      try require(alice.groups("bob").value().map(\.canonical), is: ["ops", "release"], "the groups of bob are")
      try require(alice.groups().value().map(\.canonical), is: ["release"], "alice sees the groups")
      try alice.leave("release", "bob").value()
      try alice.leave("release", "bob").value("removing who is no member")
      try require(bob.groups().value().map(\.canonical), is: ["ops"], "after one was left bob sees the groups")
      let events = try bob.events().value().filter { $0.name.hasPrefix("group_") }
      try require(
        events.map { "\($0.name) \($0.detail ?? "") by \($0.actor ?? "")" },
        is: ["group_left release by alice", "group_joined ops by alice", "group_joined release by alice"],
        "the events of bob are")
      try alice.join("ops", "alice", "dave").refused("adding nobody", with: "account_not_found")
      try require(alice.groups().value().map(\.canonical), is: ["release"], "a refused change left alice the groups")
      try alice.groups("dave").refused("groups of nobody", with: "account_not_found")
    },

    Check("groups come in the order of their names and members the oldest first, in pages") { probe, alice, _ in
      try probe.register("carol")
      try alice.join("release", "carol", "bob", "alice").value()
      for group in ["build", "ops"] { try alice.join(group, "carol").value() }
      for (after, limit, names) in [
        (nil, 50, ["build", "ops", "release"]), (nil, 2, ["build", "ops"]), ("Build", 1, ["ops"]),
        ("p", 5, ["release"]), ("release", 5, []), (nil, 0, []),
      ] as [(String?, Int, [String])] {
        let groups = alice.allGroups(GroupPage(after: after, limit: limit))
        try require(groups.value().map(\.canonical), is: names, "\(limit) after \(after ?? "the start") are")
      }
      for (after, limit, names) in [
        (nil, 50, ["alice", "bob", "carol"]), (nil, 2, ["alice", "bob"]), ("bob", 5, ["carol"]), ("carol", 5, []),
      ] as [(String?, Int, [String])] {
        let members = try alice.members("release", GroupPage(after: after, limit: limit))
        try require(members.value().map(\.user.username), is: names, "\(limit) after \(after ?? "the start") are")
      }
      try require(
        alice.members("release", GroupPage(limit: 1)).value(), is: [alice.account("alice").value()], "a member is")
      try require(try alice.members("nobodys", GroupPage(limit: 5)).value().isEmpty, "a group without members has one")
    },

    Check("an account is in at most 32 groups, and a request changes at most 50 accounts") { _, alice, bob in
      for number in 1...32 { try alice.join("group-\(number)", "bob").value() }
      try alice.join("one-more", "bob").refused("a group too many", with: "too_many_groups")
      try alice.join("group-1", "bob").value("a group that has bob already")
      try require(bob.groups().value().count, is: 32, "the groups of bob are")
      let names = (1...51).map { "user\($0)" }
      try alice.join("ops", names).refused("51 accounts at once", with: "too_many_accounts", .invalid)
    },
  ]

  static let proofs: [Check] = [
    Check("a proof names its user once, and only to the tool that it was made for") { probe, alice, bob in
      try alice.join("release", "bob").value()
      let tool = try await probe.tool()
      let proof = try bob.prove("TOOL").value()
      for (who, other) in [("its user", bob), ("another account", alice)] {
        try other.verify(proof).refusedProof("a proof that \(who) verifies")
      }
      let proven = try tool.verify(proof).value()
      try require(proven.user, is: bob.user, "a proof of bob is one of")
      try require(proven.groups.map(\.canonical), is: ["release"], "a proof of bob has the groups")
      try tool.verify(proof).refusedProof("a used proof")
      for typed in ["", String(repeating: "0", count: 64), "no proof", proof.text.uppercased()] {
        try tool.verify(ToolProof(typed: Array(typed.utf8))).refusedProof("the proof '\(typed)'")
      }
      // The bytes of a proof are no token, and those of a token no proof. A backend may refuse a
      // token of another length or of another database before it looks for the session.
      let own = bob.token.bytes
      let token = SessionToken(bytes: Array(own[..<16]) + proof.canonical[..<(own.count - 16)])
      try await probe.requireRejection(.ended(.revoked), of: token, "a proof in place of a token")
      try tool.verify(ToolProof(typed: bob.token.bytes)).refusedProof("a token in place of a proof")
      let event = try bob.events(.own, Page(limit: 1)).value().first
      try require(
        event?.name == "proof_verified" && event?.actor == "tool" && event?.session == bob.id,
        "the newest event of bob is \(String(describing: event))")
      try bob.prove("nobody").refused("a proof for nobody", with: "account_not_found")
    },

    Check("a proof ends after a minute, and with the session and the account of its user") { probe, alice, bob in
      let tool = try await probe.tool()
      let (late, timely) = (try bob.prove("tool").value(), try bob.prove("tool").value())
      await probe.subject.advance(.seconds(59))
      try require(tool.verify(timely).value().user, is: bob.user, "a proof of 59 s is one of")
      await probe.subject.advance(.seconds(1))
      try tool.verify(late).refusedProof("a proof of 60 s")
      // Another session of bob stays active.
      let other = try await probe.logIn("bob")
      let proof = try other.prove("tool").value()
      try other.revokeSelf().value()
      try tool.verify(proof).refusedProof("a proof of a session that has ended")
      let last = try bob.prove("tool").value()
      try alice.setDisabled(true, "bob").value()
      try tool.verify(last).refusedProof("a proof of a disabled account")
      try alice.setDisabled(false, "bob").value()
      try tool.verify(last).refusedProof("a proof of an account that was disabled and enabled")
    },

    Check("of more than 16 proofs of a user the oldest ends") { probe, alice, bob in
      let tool = try await probe.tool()
      let others = try alice.prove("tool").value()
      var proofs: [ToolProof] = []
      for _ in 1...17 {
        proofs.append(try bob.prove("tool").value())
        await probe.subject.advance(.seconds(1))
      }
      try require(Set(proofs).count, is: 17, "of 17 proofs different ones are")
      try tool.verify(proofs[0]).refusedProof("the oldest of 17 proofs")
      for proof in proofs.dropFirst() + [others] { try tool.verify(proof).value("one of the last 16 proofs of a user") }
    },
  ]
}

extension BackendProbe {
  /// The login of a tool's server.
  fileprivate func tool() async throws -> Login {
    try register("tool")
    return try await logIn("tool")
  }
}

extension Answer {
  /// The one answer for every proof that proves nothing.
  fileprivate func refusedProof(_ what: String) throws { try refused(what, with: "proof_not_accepted") }
}

extension Login {
  func join(_ group: String, _ names: String...) throws -> Answer<Void> { try join(group, names) }
  func leave(_ group: String, _ names: String...) throws -> Answer<Void> { try setMembership(false, group, names) }
  fileprivate func join(_ group: String, _ names: [String]) throws -> Answer<Void> {
    try setMembership(true, group, names)
  }

  private func setMembership(_ isMember: Bool, _ group: String, _ names: [String]) throws -> Answer<Void> {
    ask(Operations.setMembership, isMember, try names.map { try Username($0) }, try GroupName(group), token)
  }

  func groups() -> Answer<[GroupName]> { ask(Operations.ownGroups, token) }
  func groups(_ name: String) throws -> Answer<[GroupName]> {
    ask(Operations.groupsOfAccount, try Username(name), token)
  }
  fileprivate func allGroups(_ page: GroupPage) -> Answer<[GroupName]> { ask(Operations.groups, page, token) }
  fileprivate func members(_ group: String, _ page: GroupPage) throws -> Answer<[AccountSummary]> {
    ask(Operations.members, try GroupName(group), page, token)
  }

  func prove(_ tool: String) throws -> Answer<ToolProof> { ask(Operations.prove, try Username(tool), token) }
  func verify(_ proof: ToolProof) -> Answer<ProvenUser> { ask(Operations.verify, proof, token) }
  fileprivate func revokeSelf() -> Answer<Void> { ask(Operations.revoke, token, .userAsked) }
}
