import AuthBackend
import AuthCore
import AuthSQLite
import Races
import Testing

/// Two connections to one database, as two processes have them.
///
/// `make test-races` has the same races between real processes.
@Suite struct AccountRaceTests {
  private static let rounds = 200

  /// Runs an operation on each of two connections at once, and returns the codes of what they
  /// threw.
  private static func race(
    _ work: Workspace, _ first: @escaping @Sendable (LocalAuthority) throws(BackendError) -> Void,
    _ second: @escaping @Sendable (LocalAuthority) throws(BackendError) -> Void
  ) -> [String?] {
    let sides = [work.authority(), work.authority()]
    return TwoThreads.answers { side in
      code { () throws(BackendError) in side == 0 ? try first(sides[0]) : try second(sides[1]) }
    }
  }

  @Test("of two uses of one code exactly one sets a password")
  func sameCodeTwice() async throws {
    let findings = try await onOwnThread {
      var findings: [String] = []
      let work = Workspace()
      let authority = work.authority()
      try authority.registerBoth()
      let bob = try Username("bob")
      for round in 0..<Self.rounds {
        let issued = try authority.resetPasswordAsOwner(of: bob).code
        let use: @Sendable (LocalAuthority) throws(BackendError) -> Void = { (authority) throws(BackendError) in
          _ = try authority.recover(
            username: "bob", code: issued, password: Secret("quiet meadow copper lantern \(round)"))
        }
        let answers = Self.race(work, use, use)
        if answers.count(where: { $0 == nil }) != 1 || !answers.contains("credentials_not_accepted") {
          findings.append("round \(round): \(answers)")
        }
      }
      if work.raw.number("SELECT count(*) FROM codes") != 0 { findings.append("a code is left") }
      return findings
    }
    #expect(findings == [])
  }

  @Test("of two administrators who demote each other at once exactly one stays")
  func twoDemotions() async throws {
    let findings = try await onOwnThread {
      var findings: [String] = []
      let work = Workspace()
      let authority = work.authority()
      try authority.registerBoth()
      let (alice, bob) = (try Username("alice"), try Username("bob"))
      let (first, second) = (try authority.logIn().token, try authority.logIn("bob", bobPassword).token)
      for round in 0..<Self.rounds {
        work.raw.script("UPDATE accounts SET role = 'administrator'")
        let answers = Self.race(
          work,
          { (authority) throws(BackendError) in _ = try authority.rules.setRole(.member, account: bob, token: first) },
          { (authority) throws(BackendError) in _ = try authority.rules.setRole(.member, account: alice, token: second)
          })
        let left = work.raw.number("SELECT count(*) FROM accounts WHERE role = 'administrator'")
        if answers.count(where: { $0 == nil }) != 1 || left != 1 { findings.append("round \(round): \(answers)") }
      }
      return findings
    }
    #expect(findings == [])
  }

  @Test("of a payment to an account and its deletion at once, no money is lost")
  func deletionAgainstPayment() async throws {
    let work = Workspace()
    let findings = try await onOwnThread {
      var findings: [String] = []
      let authority = work.authority()
      _ = try authority.register(username: "alice", password: alicePassword)
      let alice = try authority.logIn().token
      for round in 0..<Self.rounds {
        let name = "u\(round)"
        _ = try authority.rules.registerOther(username: name, token: alice)
        work.raw.script(
          """
          BEGIN;
          INSERT INTO transfers(payer, payee, amount, made_at)
            SELECT id, 1, 10000, 0 FROM accounts WHERE name = '\(name)';
          INSERT INTO entries(account, transfer, amount) SELECT payer, id, -10000 FROM transfers ORDER BY id DESC LIMIT 1;
          INSERT INTO entries(account, transfer, amount) SELECT payee, id, 10000 FROM transfers ORDER BY id DESC LIMIT 1;
          UPDATE ledger_accounts SET balance = balance + 10000 WHERE id = 1;
          UPDATE ledger_accounts SET balance = 0 WHERE id = (SELECT id FROM accounts WHERE name = '\(name)');
          COMMIT
          """)
        let (user, order) = (try Username(name), try authority.order("1", to: name))
        let answers = Self.race(
          work, { (authority) throws(BackendError) in try authority.rules.deleteAccount(user, token: alice) },
          { (authority) throws(BackendError) in _ = try authority.rules.pay(order, token: alice) })
        if answers != [nil, "payee_unknown"] && answers != ["balance_not_zero", nil] {
          findings.append("round \(round): \(answers)")
        }
      }
      let lost = """
        SELECT count(*) FROM accounts a JOIN ledger_accounts l ON l.id = a.id WHERE a.name LIKE '#%' AND l.balance <> 0
        """
      if work.raw.number(lost) != 0 { findings.append("a deleted account has money") }
      return findings
    }
    #expect(findings == [])
    work.expectBalancedBooks()
  }
}
