import AuthBackend
import AuthCore
import Services

extension Pair {
  static let all = [
    twoPayments, opposite, sameKey, deletedPayee, disabledLogin, deletedLogin, demotions, disabledAndDemoted, codes,
    steps, guesses, policy, passwordLogin, passwords, names, registration, sessionEnd,
  ]

  static let twoPayments = Pair("pay and pay with money for one") { scene, number in
    let payer = try scene.user("p\(number)")
    let order = try scene.order("60", to: scene.alice)
    // Sessions of their own: operations of one session wait for each other anyway.
    return Round(
      .pay(order, try scene.logIn(payer)), .pay(order, try scene.logIn(payer)),
      [nil, "insufficient_funds"], ["insufficient_funds", nil])
  }

  static let opposite = Pair("pay and pay to each other") { scene, number in
    let (one, other) = (try scene.user("a\(number)"), try scene.user("b\(number)"))
    return Round(
      .pay(try scene.order("1", to: other), try scene.logIn(one)),
      .pay(try scene.order("2", to: one), try scene.logIn(other)), [nil, nil])
  }

  static let sameKey = Pair("pay and pay under one key") { scene, number in
    let payer = try scene.user("p\(number)")
    let tokens = [try scene.logIn(payer), try scene.logIn(payer)]
    let order = try scene.order("60", to: scene.alice, key: "once")
    return Round(.pay(order, tokens[0]), .pay(order, tokens[1]), [nil, nil]) { _ in
      try scene.rules.profile(token: tokens[0]).balance == 40_00 ? nil : "paid twice"
    }
  }

  static let deletedPayee = Pair("pay and delete the payee") { scene, number in
    let (payer, payee) = (try scene.user("p\(number)"), try scene.user("q\(number)", funded: false))
    return Round(
      .pay(try scene.order("1", to: payee), try scene.logIn(payer)),
      .deleteAccount(payee, try scene.logIn(scene.alice)),
      ["payee_unknown", nil], [nil, "balance_not_zero"]
    ) { _ in
      let rich = try scene.sql(
        "SELECT count(*) FROM accounts a JOIN ledger_accounts l ON l.id = a.id WHERE a.name LIKE '#%' AND balance <> 0")
      return rich == 0 ? nil : "a deleted account has money"
    }
  }

  static let disabledLogin = Pair("disable and log in") { scene, number in
    let user = try scene.user("u\(number)")
    return Round(
      .setDisabled(true, user, try scene.logIn(scene.alice)), .logIn(user, RaceScene.password),
      [nil, nil], [nil, "credentials_not_accepted"]
    ) { _ in try scene.activeSessions("name = '\(user)'") == 0 ? nil : "a session of a disabled account is active" }
  }

  static let deletedLogin = Pair("delete and log in") { scene, number in
    let user = try scene.user("u\(number)", funded: false)
    return Round(
      .deleteAccount(user, try scene.logIn(scene.alice)), .logIn(user, RaceScene.password),
      [nil, nil], [nil, "credentials_not_accepted"]
    ) { _ in try scene.activeSessions("name LIKE '#%'") == 0 ? nil : "a session of a deleted account is active" }
  }

  /// The only two administrators, and a session of each.
  private static func administrators(_ scene: RaceScene, _ number: Int) throws -> ([Username], [SessionToken]) {
    let users = [try scene.user("m\(number)"), try scene.user("n\(number)")]
    let tokens = try users.map { try scene.logIn($0) }
    try scene.sql("UPDATE accounts SET role = 'member'")
    try scene.sql("UPDATE accounts SET role = 'administrator' WHERE name IN ('m\(number)', 'n\(number)')")
    return (users, tokens)
  }

  private static func left(_ scene: RaceScene) throws -> String? {
    let count = try scene.sql("SELECT count(*) FROM accounts WHERE role = 'administrator' AND disabled = 0")
    return count == 1 ? nil : "\(count) administrators are left"
  }

  static let demotions = Pair("two demotions") { scene, number in
    let (users, tokens) = try administrators(scene, number)
    return Round(
      .setRole(.member, users[1], tokens[0]), .setRole(.member, users[0], tokens[1]),
      [nil, "not_permitted"], ["not_permitted", nil]
    ) { _ in try left(scene) }
  }

  static let disabledAndDemoted = Pair("disable and demote") { scene, number in
    let (users, tokens) = try administrators(scene, number)
    return Round(
      .setDisabled(true, users[1], tokens[0]), .setRole(.member, users[0], tokens[1]),
      [nil, "session_account_disabled"], ["not_permitted", nil]
    ) { _ in try left(scene) }
  }

  static let codes = Pair("two uses of a code") { scene, number in
    let user = try scene.user("u\(number)")
    let code = try scene.rules.resetPasswordAsOwner(of: user).code
    let use = BackendRequest.recover(username: user.canonical, code, newPasswords[0])
    return Round(use, use, [nil, "credentials_not_accepted"], ["credentials_not_accepted", nil])
  }

  static let steps = Pair("two uses of a time step") { scene, number in
    let user = try scene.user("u\(number)")
    let token = try scene.logIn(user)
    let secret = try scene.rules.beginTwoStep(token: token)
    try scene.rules.confirmTwoStep(secret.code(at: .now()), token: token)
    try scene.sql("UPDATE two_steps SET last_step = 0")
    let code = secret.code(at: .now())
    let challenges = try (0..<2).map { (_) throws -> SessionToken in
      guard case .challenged(let challenge)? = failure({ try scene.logIn(user) })?.kind else {
        throw UnexpectedAnswer()
      }
      return challenge.token
    }
    return Round(
      .answer(code, challenge: challenges[0], .random), .answer(code, challenge: challenges[1], .random),
      [nil, "code_missing"], ["code_missing", nil])
  }

  static let guesses = Pair("guess and guess, with one left") { scene, number in
    let user = try scene.user("u\(number)")
    try scene.sql("UPDATE accounts SET guesses = 4, failures = 4, attempts = 4 WHERE name = '\(user)'")
    let guess = BackendRequest.logIn(user, Secret("not the right password"))
    return Round(
      guess, guess, ["throttled", "credentials_not_accepted"], ["credentials_not_accepted", "throttled"]
    ) { _ in
      try scene.sql("SELECT failures FROM accounts WHERE name = '\(user)'") == 5 ? nil : "not five failures"
    }
  }

  static let policy = Pair("require a second step and log in") { scene, number in
    try scene.sql("UPDATE authority SET two_step_required = 0")
    let (users, tokens) = try administrators(scene, number)
    let new = NewSession.random
    // Before or after the change, but never again once it was refused.
    return Round(
      .setTwoStepPolicy(.required, tokens[0]), .logIn(users[1], RaceScene.password, new), then: .profile(new.token),
      [nil, nil], [nil, "two_step_required"]
    ) { _ in
      let token = try scene.logIn(users[1])
      let later = RaceScene.code(of: .profile(token), scene.rules)
      return later == "two_step_required" ? nil : "not required afterwards"
    }
  }

  private static let newPasswords = ["quiet meadow copper lantern", "paper lantern river orchard"].map { Secret($0) }

  private static func change(_ token: SessionToken, to password: Secret) -> BackendRequest {
    .changePassword(from: RaceScene.password, to: password, token, newToken: NewSession.random.token)
  }

  static let passwordLogin = Pair("change the password and log in with the old one") { scene, number in
    let user = try scene.user("u\(number)")
    return Round(
      change(try scene.logIn(user), to: newPasswords[0]), .logIn(user, RaceScene.password),
      [nil, nil], [nil, "credentials_not_accepted"]
    ) { _ in try scene.activeSessions("name = '\(user)'") == 1 ? nil : "a session of the old password is active" }
  }

  static let passwords = Pair("change the password and change the password") { scene, number in
    let user = try scene.user("u\(number)")
    return Round(
      change(try scene.logIn(user), to: newPasswords[0]), change(try scene.logIn(user), to: newPasswords[1]),
      // Whatever the second one is told: its session has ended, or its password is wrong.
      [nil, "session_revoked"], ["session_revoked", nil], [nil, "credentials_not_accepted"],
      ["credentials_not_accepted", nil]
    ) { given in
      _ = try scene.rules.perform(.logIn(user, newPasswords[given[0] == nil ? 0 : 1]))
      return nil
    }
  }

  static let names = Pair("register and register one name") { _, number in
    let register = BackendRequest.register(username: "u\(number)", RaceScene.password, displayName: nil)
    return Round(register, register, [nil, "username_taken"], ["username_taken", nil])
  }

  static let registration = Pair("close the registration and register") { scene, number in
    let token = try scene.logIn(scene.alice)
    try scene.rules.setRegistration(.open, token: token)
    return Round(
      .setRegistration(.closed, token), .register(username: "u\(number)", RaceScene.password, displayName: nil),
      [nil, nil], [nil, "registration_closed"])
  }

  static let sessionEnd = Pair("pay and end the session") { scene, number in
    let token = try scene.logIn(try scene.user("p\(number)"))
    return Round(
      .pay(try scene.order("1", to: scene.alice), token), .revoke(token, .userAsked),
      [nil, nil], ["session_user_asked", nil])
  }
}
