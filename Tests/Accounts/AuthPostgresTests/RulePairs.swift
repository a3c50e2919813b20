import AuthAccounts
import AuthCore
import AuthRules
import Services

extension Pair {
  static let twoPayments = Pair("pay and pay with money for one") { scene in
    let payer = try scene.user()
    let order = try PaymentOrder("60", to: "alice")
    // Sessions of their own: operations of one session wait for each other anyway.
    return Round(
      Operations.pay(order, try scene.logIn(payer)), Operations.pay(order, try scene.logIn(payer)),
      [nil, "insufficient_funds"], ["insufficient_funds", nil])
  }

  static let all: [Pair] = [
    twoPayments,
    // The second side has changed its own balance, and waits before that of the other one.
    Pair("pay and pay to each other", laterChange: 4) { scene in
      let (one, other) = (try scene.user(), try scene.user())
      return Round(
        Operations.pay(try PaymentOrder("1", to: other.canonical), try scene.logIn(one)),
        Operations.pay(try PaymentOrder("2", to: one.canonical), try scene.logIn(other)), [nil, nil])
    },
    Pair("pay and pay under one key") { scene in
      let payer = try scene.user()
      let tokens = [try scene.logIn(payer), try scene.logIn(payer)]
      let order = try PaymentOrder("60", to: "alice", key: "once")
      let balance = "SELECT balance FROM ledger_accounts WHERE id = (SELECT id FROM accounts WHERE name = '\(payer)')"
      return Round(
        Operations.pay(order, tokens[0]), Operations.pay(order, tokens[1]), [nil, nil], fact: (balance, 40_00))
    },
    Pair("pay and delete the payee") { scene in
      let (payer, payee) = (try scene.user(), try scene.user(funded: false))
      return Round(
        Operations.pay(try PaymentOrder("1", to: payee.canonical), try scene.logIn(payer)),
        Operations.deleteAccount(payee, try scene.logIn()),
        ["payee_unknown", nil], [nil, "balance_not_zero"],
        fact: ("SELECT count(*) FROM accounts JOIN ledger_accounts USING (id) WHERE name LIKE '#%' AND balance <> 0", 0)
      )
    },
    Pair("disable and log in") { scene in
      let user = try scene.user()
      return Round(
        Operations.setDisabled(true, user, try scene.logIn()), .logIn(user), [nil, nil],
        [nil, "credentials_not_accepted"],
        fact: (activeSessions("name = '\(user)'"), 0))
    },
    Pair("delete and log in") { scene in
      let user = try scene.user(funded: false)
      return Round(
        Operations.deleteAccount(user, try scene.logIn()), .logIn(user), [nil, nil], [nil, "credentials_not_accepted"],
        fact: (activeSessions("name LIKE '#%'"), 0))
    },
    Pair("two demotions") { scene in
      let (users, tokens) = try scene.onlyAdministrators()
      return Round(
        Operations.setRole(.member, users[1], tokens[0]), Operations.setRole(.member, users[0], tokens[1]),
        [nil, "not_permitted"], ["not_permitted", nil], fact: oneAdministrator)
    },
    Pair("disable and demote") { scene in
      let (users, tokens) = try scene.onlyAdministrators()
      return Round(
        Operations.setDisabled(true, users[1], tokens[0]), Operations.setRole(.member, users[0], tokens[1]),
        [nil, "session_account_disabled"], ["not_permitted", nil], fact: oneAdministrator)
    },
    Pair("two uses of a code") { scene in
      let user = try scene.user()
      let code = try scene.rules.resetPasswordAsOwner(of: user).code
      let use = Operations.recover(user.canonical, code, newPassword)
      return Round(use, use, [nil, "credentials_not_accepted"], ["credentials_not_accepted", nil])
    },
    Pair("two uses of a time step") { scene in
      let user = try scene.user()
      let secret = try scene.sides[0].turnTwoStepOn(try scene.logIn(user))
      try scene.sql("UPDATE two_steps SET last_step = 0")
      let code = secret.code(at: .now())
      let challenges = try (0..<2).map { _ in try scene.sides[0].challenge(user.canonical).token }
      try scene.sql("UPDATE accounts SET guesses = 2, failures = 2, attempts = 2 WHERE name = '\(user)'")
      return Round(
        Operations.answer(code, challenges[0], .random), Operations.answer(code, challenges[1], .random),
        [nil, "code_missing"], ["code_missing", nil],
        fact: ("SELECT 10 * guesses + failures FROM accounts WHERE name = '\(user)'", 11))
    },
    Pair("guess and guess, with one left", decidesFirst: true) { scene in
      let user = try scene.user()
      try scene.sql("UPDATE accounts SET guesses = 4, failures = 4, attempts = 4 WHERE name = '\(user)'")
      let guess = Request.logIn(user, wrongPassword)
      return Round(
        guess, guess, ["throttled", "credentials_not_accepted"], ["credentials_not_accepted", "throttled"],
        fact: ("SELECT failures FROM accounts WHERE name = '\(user)'", 5))
    },
    Pair("change the password and log in with the old one") { scene in
      let user = try scene.user()
      return Round(
        change(try scene.logIn(user), to: newPassword), .logIn(user), [nil, nil], [nil, "credentials_not_accepted"],
        fact: (activeSessions("name = '\(user)'"), 1))
    },
    Pair(
      "change the password and change the password",
      guardedBy: "each changes the row of the account before it checks its session, which the other one ended"
    ) { scene in
      let user = try scene.user()
      let passwords = [newPassword, bobPassword]
      return Round(
        change(try scene.logIn(user), to: passwords[0]), change(try scene.logIn(user), to: passwords[1]),
        // Whatever the second one is told: its session has ended, or its password is wrong.
        [nil, "session_revoked"], ["session_revoked", nil], [nil, "credentials_not_accepted"],
        ["credentials_not_accepted", nil]
      ) { given in
        _ = try Request.logIn(user, passwords[given[0] == nil ? 0 : 1]).perform(scene.sides[0])
        return nil
      }
    },
    Pair("register and register one name") { scene in
      let register = Operations.register(scene.newName(), alicePassword, nil)
      return Round(register, register, [nil, "username_taken"], ["username_taken", nil])
    },
    Pair("close the registration and register") { scene in
      let token = try scene.logIn()
      try scene.rules.setRegistration(.open, token: token)
      return Round(
        Operations.setRegistration(.closed, token), Operations.register(scene.newName(), alicePassword, nil),
        [nil, nil], [nil, "registration_closed"], refusedLater: (1, "registration_closed"))
    },
    Pair(
      "two verifications of a proof", guardedBy: "the statement that finds the proof deletes it"
    ) { scene in
      let tool = try scene.user()
      let proof = try scene.rules.prove(to: tool, token: try scene.logIn())
      return Round(
        Operations.verify(proof, try scene.logIn(tool)), Operations.verify(proof, try scene.logIn(tool)),
        [nil, "proof_not_accepted"], ["proof_not_accepted", nil])
    },
    Pair("verify a proof and end its session", guardedBy: "the session is read after the proof was found") { scene in
      let (tool, session) = (try scene.user(), try scene.logIn())
      let proof = try scene.rules.prove(to: tool, token: session)
      return Round(
        Operations.verify(proof, try scene.logIn(tool)), Operations.revoke(session, .userAsked),
        [nil, nil], ["proof_not_accepted", nil], refusedLater: (0, "proof_not_accepted"))
    },
    Pair("two proofs beyond the bound") { scene in
      let user = try scene.user()
      let tokens = [try scene.logIn(user), try scene.logIn(user)]
      for _ in 0..<ProofPolicy.outstanding { _ = try scene.rules.prove(to: user, token: tokens[0]) }
      let number = "SELECT count(*) FROM proofs WHERE account = (SELECT id FROM accounts WHERE name = '\(user)')"
      return Round(
        Operations.prove(user, tokens[0]), Operations.prove(user, tokens[1]), [nil, nil],
        fact: (number, Int64(ProofPolicy.outstanding)))
    },
    Pair("two groups, with one left") { scene in
      let user = try scene.user()
      let tokens = [try scene.logIn(), try scene.logIn()]
      for number in 1..<GroupPolicy.groupsOfAccount {
        try scene.rules.setMembership(true, of: [user], in: try GroupName("group-\(number)"), token: tokens[0])
      }
      return Round(
        Operations.setMembership(true, [user], try GroupName("one"), tokens[0]),
        Operations.setMembership(true, [user], try GroupName("other"), tokens[1]),
        [nil, "too_many_groups"], ["too_many_groups", nil])
    },
    Pair("pay and end the session") { scene in
      let token = try scene.logIn(try scene.user())
      return Round(
        Operations.pay(try PaymentOrder("1", to: "alice"), token), Operations.revoke(token, .userAsked),
        [nil, nil], ["session_user_asked", nil], refusedLater: (0, "session_user_asked"))
    },
  ]

  /// Operations that write and are in no pair: they take the locks of the raced ones for the same
  /// accounts and sessions, or, as the policy of second steps, change what is checked at each use.
  static let unraced: Set = [
    "beginTwoStep", "confirm", "confirmTwoStep", "deleteOwnAccount", "endAllSessions", "endTwoStep",
    "makeRecoveryCodes", "noteView", "reauthenticate", "registerOther", "rename", "renew", "resetPassword",
    "resetPasswordAsOwner", "resume", "revokeSession", "setTwoStepPolicy", "unlock",
  ]

  private static let oneAdministrator = (
    query: "SELECT count(*) FROM accounts WHERE role = 'administrator' AND disabled = 0", number: Int64(1)
  )

  private static func activeSessions(_ condition: String) -> String {
    "SELECT count(*) FROM sessions JOIN accounts a ON a.id = account WHERE ended_reason IS NULL AND a.\(condition)"
  }

  private static func change(_ token: SessionToken, to password: Secret) -> Request {
    Operations.changePassword(alicePassword, password, token, NewSession.random.token)
  }
}

extension RaceScene {
  /// The only two administrators, and a session of each.
  fileprivate func onlyAdministrators() throws -> ([Username], [SessionToken]) {
    let users = [try user(), try user()]
    let tokens = try users.map { try logIn($0) }
    try sql("UPDATE accounts SET role = 'member'")
    try sql("UPDATE accounts SET role = 'administrator' WHERE name IN ('\(users[0])', '\(users[1])')")
    return (users, tokens)
  }
}
