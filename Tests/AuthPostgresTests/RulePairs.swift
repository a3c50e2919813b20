import AuthBackend
import AuthCore

@testable import AuthPostgres

extension Pair {
  static let all = [
    twoPayments, opposite, sameKey, deletedPayee, disabledLogin, deletedLogin, demotions, disabledAndDemoted, codes,
    steps, guesses, policy, passwordLogin, passwords, names, registration, sessionEnd,
  ]

  private static func answers(
    _ given: [String?], _ possible: [String?]..., detail: @autoclosure () throws -> String? = nil
  ) throws -> String? {
    try possible.contains(given) ? detail() : "not the answers of any order"
  }

  static let twoPayments = Pair(name: "pay and pay with money for one") { scene, number in
    let payer = try scene.user("p\(number)")
    // Sessions of their own: operations of one session wait for each other anyway.
    let tokens = [try scene.logIn(scene.rules, payer.canonical), try scene.logIn(scene.rules, payer.canonical)]
    let order = try scene.order("60", to: try Username("alice"))
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.pay(order, token: tokens[0]) },
      second: { (rules) throws(BackendError) in _ = try rules.pay(order, token: tokens[1]) },
      verdict: { try answers($0, [nil, "insufficient_funds"], ["insufficient_funds", nil]) })
  }

  static let opposite = Pair(name: "pay and pay to each other") { scene, number in
    let (one, other) = (try scene.user("a\(number)"), try scene.user("b\(number)"))
    let tokens = [try scene.token(one.canonical), try scene.token(other.canonical)]
    let orders = [try scene.order("1", to: other), try scene.order("2", to: one)]
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.pay(orders[0], token: tokens[0]) },
      second: { (rules) throws(BackendError) in _ = try rules.pay(orders[1], token: tokens[1]) },
      verdict: { try answers($0, [nil, nil]) })
  }

  static let sameKey = Pair(name: "pay and pay under one key") { scene, number in
    let payer = try scene.user("p\(number)")
    let tokens = [try scene.logIn(scene.rules, payer.canonical), try scene.logIn(scene.rules, payer.canonical)]
    let order = try scene.order("60", to: try Username("alice"), key: "once")
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.pay(order, token: tokens[0]) },
      second: { (rules) throws(BackendError) in _ = try rules.pay(order, token: tokens[1]) },
      verdict: {
        try answers(
          $0, [nil, nil],
          detail: try scene.rules.profile(token: tokens[0]).balance == 40_00 ? nil : "paid twice")
      })
  }

  static let deletedPayee = Pair(name: "pay and delete the payee") { scene, number in
    let (payer, payee) = (try scene.user("p\(number)"), try scene.user("q\(number)", funded: false))
    let tokens = [try scene.token(payer.canonical), try scene.token("alice")]
    let order = try scene.order("1", to: payee)
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.pay(order, token: tokens[0]) },
      second: { (rules) throws(BackendError) in try rules.deleteAccount(payee, token: tokens[1]) },
      verdict: {
        try answers(
          $0, ["payee_unknown", nil], [nil, "balance_not_zero"],
          detail: try scene.number(
            "SELECT count(*) FROM accounts a JOIN ledger_accounts l ON l.id = a.id WHERE a.name LIKE '#%' AND balance <> 0"
          )
            == 0 ? nil : "a deleted account has money")
      })
  }

  static let disabledLogin = Pair(name: "disable and log in") { scene, number in
    let user = try scene.user("u\(number)")
    let admin = try scene.token("alice")
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.setDisabled(true, account: user, token: admin) },
      second: { (rules) throws(BackendError) in _ = try scene.logIn(rules, user.canonical) },
      verdict: {
        try answers(
          $0, [nil, nil], [nil, "credentials_not_accepted"],
          detail: try scene.activeSessions(of: user) == 0 ? nil : "a session of a disabled account is active")
      })
  }

  static let deletedLogin = Pair(name: "delete and log in") { scene, number in
    let user = try scene.user("u\(number)", funded: false)
    let admin = try scene.token("alice")
    return Round(
      first: { (rules) throws(BackendError) in try rules.deleteAccount(user, token: admin) },
      second: { (rules) throws(BackendError) in _ = try scene.logIn(rules, user.canonical) },
      verdict: {
        try answers(
          $0, [nil, nil], [nil, "credentials_not_accepted"],
          detail: try scene.number(
            "SELECT count(*) FROM sessions s JOIN accounts a ON a.id = s.account WHERE a.name LIKE '#%' AND s.ended_reason IS NULL"
          ) == 0 ? nil : "a session of a deleted account is active")
      })
  }

  /// An administrator besides alice, who is taken the role for the round.
  private static func administrators(_ scene: RaceScene, _ number: Int) throws -> ([Username], [SessionToken]) {
    let users = [try scene.user("m\(number)"), try scene.user("n\(number)")]
    let tokens = [try scene.token("m\(number)"), try scene.token("n\(number)")]
    try scene.run("UPDATE accounts SET role = 'member'")
    try scene.run("UPDATE accounts SET role = 'administrator' WHERE name IN ('m\(number)', 'n\(number)')")
    return (users, tokens)
  }

  private static func left(_ scene: RaceScene) throws -> String? {
    let count = try scene.number("SELECT count(*) FROM accounts WHERE role = 'administrator' AND disabled = 0")
    return count == 1 ? nil : "\(count) administrators are left"
  }

  static let demotions = Pair(name: "two demotions") { scene, number in
    let (users, tokens) = try administrators(scene, number)
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.setRole(.member, account: users[1], token: tokens[0]) },
      second: { (rules) throws(BackendError) in _ = try rules.setRole(.member, account: users[0], token: tokens[1]) },
      verdict: { try answers($0, [nil, "not_permitted"], ["not_permitted", nil], detail: try left(scene)) })
  }

  static let disabledAndDemoted = Pair(name: "disable and demote") { scene, number in
    let (users, tokens) = try administrators(scene, number)
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.setDisabled(true, account: users[1], token: tokens[0]) },
      second: { (rules) throws(BackendError) in _ = try rules.setRole(.member, account: users[0], token: tokens[1]) },
      verdict: {
        try answers($0, [nil, "session_account_disabled"], ["not_permitted", nil], detail: try left(scene))
      })
  }

  static let codes = Pair(name: "two uses of a code") { scene, number in
    let user = try scene.user("u\(number)")
    let code = try scene.rules.resetPasswordAsOwner(of: user).code
    let use: @Sendable (Rules) throws(BackendError) -> Void = { (rules) throws(BackendError) in
      _ = try rules.recover(username: user.canonical, code: code, password: Secret("quiet meadow copper lantern"))
    }
    return Round(
      first: use, second: use,
      verdict: { try answers($0, [nil, "credentials_not_accepted"], ["credentials_not_accepted", nil]) })
  }

  static let steps = Pair(name: "two uses of a time step") { scene, number in
    let user = try scene.user("u\(number)")
    let token = try scene.token(user.canonical)
    let secret = try scene.rules.beginTwoStep(token: token)
    try scene.rules.confirmTwoStep(secret.code(at: .now()), token: token)
    try scene.run("UPDATE two_steps SET last_step = 0")
    let code = secret.code(at: .now())
    @Sendable func challenge() throws -> SessionToken {
      do throws(BackendError) {
        return try scene.logIn(scene.rules, user.canonical)
      } catch {
        guard case .challenged(let challenge) = error.kind else { throw error }
        return challenge.token
      }
    }
    let challenges = [try challenge(), try challenge()]
    @Sendable func answer(_ rules: Rules, _ side: Int) throws(BackendError) {
      let new = NewSession(
        token: SessionToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) }), label: nil, origin: nil)
      _ = try rules.perform(.answer(code, challenge: challenges[side], new))
    }
    return Round(
      first: { (rules) throws(BackendError) in try answer(rules, 0) },
      second: { (rules) throws(BackendError) in try answer(rules, 1) },
      verdict: { try answers($0, [nil, "code_missing"], ["code_missing", nil]) })
  }

  static let guesses = Pair(name: "guess and guess, with one left") { scene, number in
    let user = try scene.user("u\(number)")
    try scene.run("UPDATE accounts SET guesses = 4, failures = 4, attempts = 4 WHERE name = '\(user)'")
    let guess: @Sendable (Rules) throws(BackendError) -> Void = { (rules) throws(BackendError) in
      _ = try scene.logIn(rules, user.canonical, Secret("not the right password"))
    }
    return Round(
      first: guess, second: guess,
      verdict: {
        try answers(
          $0, ["throttled", "credentials_not_accepted"], ["credentials_not_accepted", "throttled"],
          detail: try scene.number("SELECT failures FROM accounts WHERE name = '\(user)'") == 5
            ? nil : "not five failures")
      })
  }

  static let policy = Pair(name: "require a second step and log in") { scene, number in
    try scene.run("UPDATE authority SET two_step_required = 0")
    let (users, tokens) = try administrators(scene, number)
    return Round(
      first: { (rules) throws(BackendError) in try rules.setTwoStepPolicy(.required, token: tokens[0]) },
      second: { (rules) throws(BackendError) in
        let token = try scene.logIn(rules, users[1].canonical)
        // Before or after the change, but never again once it was refused.
        _ = try rules.profile(token: token)
      },
      verdict: { given in
        let token = try scene.logIn(scene.rules, users[1].canonical)
        var later: String?
        do throws(BackendError) { _ = try scene.rules.profile(token: token) } catch { later = error.code }
        return try answers(
          given, [nil, nil], [nil, "two_step_required"],
          detail: later == "two_step_required" ? nil : "not required afterwards")
      })
  }

  private static let newPasswords = ["quiet meadow copper lantern", "paper lantern river orchard"].map { Secret($0) }

  @Sendable private static func change(
    _ rules: Rules, _ token: SessionToken, to password: Secret
  ) throws(BackendError) {
    _ = try rules.changePassword(
      from: RaceScene.password, to: password, token: token,
      as: SessionToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) }))
  }

  static let passwordLogin = Pair(name: "change the password and log in with the old one") { scene, number in
    let user = try scene.user("u\(number)")
    let token = try scene.token(user.canonical)
    return Round(
      first: { (rules) throws(BackendError) in try change(rules, token, to: newPasswords[0]) },
      second: { (rules) throws(BackendError) in _ = try scene.logIn(rules, user.canonical) },
      verdict: {
        try answers(
          $0, [nil, nil], [nil, "credentials_not_accepted"],
          detail: try scene.activeSessions(of: user) == 1 ? nil : "a session of the old password is active")
      })
  }

  static let passwords = Pair(name: "change the password and change the password") { scene, number in
    let user = try scene.user("u\(number)")
    let tokens = [try scene.logIn(scene.rules, user.canonical), try scene.logIn(scene.rules, user.canonical)]
    return Round(
      first: { (rules) throws(BackendError) in try change(rules, tokens[0], to: newPasswords[0]) },
      second: { (rules) throws(BackendError) in try change(rules, tokens[1], to: newPasswords[1]) },
      verdict: { given in
        let wins = given.count { $0 == nil }
        guard wins == 1 else { return "\(wins) changes were made" }
        _ = try scene.logIn(scene.rules, user.canonical, newPasswords[given[0] == nil ? 0 : 1])
        return nil
      })
  }

  static let names = Pair(name: "register and register one name") { _, number in
    let register: @Sendable (Rules) throws(BackendError) -> Void = { (rules) throws(BackendError) in
      _ = try rules.register(username: "u\(number)", password: RaceScene.password)
    }
    return Round(
      first: register, second: register,
      verdict: { try answers($0, [nil, "username_taken"], ["username_taken", nil]) })
  }

  static let registration = Pair(name: "close the registration and register") { scene, number in
    let admin = try scene.token("alice")
    try scene.rules.setRegistration(.open, token: admin)
    return Round(
      first: { (rules) throws(BackendError) in try rules.setRegistration(.closed, token: admin) },
      second: { (rules) throws(BackendError) in
        _ = try rules.register(username: "u\(number)", password: RaceScene.password)
      },
      verdict: { try answers($0, [nil, nil], [nil, "registration_closed"]) })
  }

  static let sessionEnd = Pair(name: "pay and end the session") { scene, number in
    let payer = try scene.user("p\(number)")
    let token = try scene.token(payer.canonical)
    let order = try scene.order("1", to: try Username("alice"))
    return Round(
      first: { (rules) throws(BackendError) in _ = try rules.pay(order, token: token) },
      second: { (rules) throws(BackendError) in _ = try rules.perform(.revoke(token, .userAsked)) },
      verdict: { try answers($0, [nil, nil], ["session_user_asked", nil]) })
  }
}
