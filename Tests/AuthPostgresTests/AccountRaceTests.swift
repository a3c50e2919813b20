import AuthBackend
import AuthCore
import AuthSQLite
import PostgresServers
import Races
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Two clients that do to accounts at once what only one of them may.
  ///
  /// `make test-races` has the same races between real processes.
  @Suite struct AccountRaceTests {
    private static let rounds = 200

    /// Two connections, and what the server says of accounts and money.
    private struct Scene: Sendable {
      let database: TestDatabase
      let sides: [PostgresBackend]

      init(isChanged: Bool = false) throws {
        database = try Databases.shared.make(isChanged: isChanged)
        sides = [try database.backend(), try database.backend()]
      }

      /// Runs an operation on each connection at once, and returns the codes of what they threw.
      func race(
        _ first: @escaping @Sendable (PostgresBackend) throws(BackendError) -> Void,
        _ second: @escaping @Sendable (PostgresBackend) throws(BackendError) -> Void
      ) -> [String?] {
        TwoThreads.answers { side in
          do throws(BackendError) {
            if side == 0 { try first(sides[0]) } else { try second(sides[1]) }
            return nil
          } catch {
            return error.code
          }
        }
      }

      func number(_ query: String) throws -> String? {
        try database.superuser { try $0.rows(query).first?[0] }
      }

      func logIn(_ name: String, _ password: Password) throws -> SessionToken {
        try sides[0].logIn(Credentials(username: name, password: password), limits: .standard).token
      }
    }

    @Test("of two uses of one code exactly one sets a password")
    func sameCodeTwice() async throws {
      let findings = try await onOwnThread {
        var findings: [String] = []
        let scene = try Scene()
        try scene.sides[0].registerBoth()
        let alice = try scene.logIn("alice", alicePassword)
        let bob = try Username("bob")
        for round in 0..<Self.rounds {
          let issued = try scene.sides[0].resetPassword(of: bob, token: alice).code
          let use: @Sendable (PostgresBackend) throws(BackendError) -> Void = { (backend) throws(BackendError) in
            _ = try backend.recover(
              username: "bob", code: issued, password: Password("quiet meadow copper lantern \(round)"))
          }
          let answers = scene.race(use, use)
          if answers.count(where: { $0 == nil }) != 1 || !answers.contains("credentials_not_accepted") {
            findings.append("round \(round): \(answers)")
          }
        }
        return findings
      }
      #expect(findings == [])
    }

    /// Of two logins with one code exactly one opens, unless the row that says so is not looked at.
    @Test("a code that two connections use at once opens once", arguments: [false, true])
    func sameStepTwice(isControl: Bool) async throws {
      let findings = try await onOwnThread {
        var findings: [String] = []
        let scene = try Scene(isChanged: isControl)
        try scene.database.freeze(at: 1_800_000_000_000_000_000)
        try scene.sides[0].registerBoth()
        let bob = try scene.logIn("bob", bobPassword)
        let secret = try scene.sides[0].beginTwoStep(token: bob)
        try scene.sides[0].confirmTwoStep(secret.code(at: WallTime(microseconds: 1_800_000_000_000_000)), token: bob)
        if isControl {
          try scene.database.superuser {
            try $0.sql(
              """
              CREATE FUNCTION authcore.use_again() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN new.last_step := old.last_step; RETURN new; END';
              CREATE TRIGGER again BEFORE UPDATE ON authcore.two_steps
                FOR EACH ROW EXECUTE FUNCTION authcore.use_again();
              """)
          }
        }
        let credentials = Credentials(username: "bob", password: bobPassword)
        for round in 1...(isControl ? 2 : 40) {
          let time: Int64 = 1_800_000_000 + 30 * Int64(round)
          try scene.database.freeze(at: time * 1_000_000_000)
          let code = secret.code(at: WallTime(microseconds: time * 1_000_000))
          let answers = scene.race(
            { (backend) throws(BackendError) in _ = try Self.logIn(backend, credentials, code) },
            { (backend) throws(BackendError) in _ = try Self.logIn(backend, credentials, code) })
          if answers.count(where: { $0 == nil }) != 1 || !answers.contains("code_missing") {
            findings.append("round \(round): \(answers)")
          }
        }
        return findings
      }
      #expect(findings.isEmpty != isControl, "\(findings)")
    }

    private static func logIn(
      _ backend: PostgresBackend, _ credentials: Credentials, _ code: Password
    ) throws(BackendError) -> Grant {
      do throws(BackendError) {
        return try backend.logIn(credentials, limits: .standard)
      } catch {
        guard case .challenged(let challenge) = error.kind else { throw error }
        return try backend.answer(code, to: challenge)
      }
    }

    @Test("of two administrators who demote each other at once exactly one stays")
    func twoDemotions() async throws {
      let findings = try await onOwnThread {
        var findings: [String] = []
        let scene = try Scene()
        try scene.sides[0].registerBoth()
        let (alice, bob) = (try Username("alice"), try Username("bob"))
        let tokens = [try scene.logIn("alice", alicePassword), try scene.logIn("bob", bobPassword)]
        for round in 0..<Self.rounds {
          try scene.database.superuser { try $0.sql("UPDATE authcore.accounts SET role = 'administrator'") }
          let answers = scene.race(
            { (backend) throws(BackendError) in _ = try backend.setRole(.member, account: bob, token: tokens[0]) },
            { (backend) throws(BackendError) in _ = try backend.setRole(.member, account: alice, token: tokens[1]) })
          let left = try scene.number("SELECT count(*) FROM authcore.accounts WHERE role = 'administrator'")
          if answers.count(where: { $0 == nil }) != 1 || left != "1" { findings.append("round \(round): \(answers)") }
        }
        return findings
      }
      #expect(findings == [])
    }

    @Test("of a payment to an account and its deletion at once, no money is lost")
    func deletionAgainstPayment() async throws {
      let findings = try await onOwnThread {
        var findings: [String] = []
        let scene = try Scene()
        try scene.sides[0].registerBoth()
        // Sessions of two users: operations of one session wait for each other.
        let (alice, bob) = (try scene.logIn("alice", alicePassword), try scene.logIn("bob", bobPassword))
        for round in 0..<Self.rounds {
          let name = "u\(round)"
          _ = try scene.sides[0].registerOther(username: name, token: alice)
          try scene.database.superuser { try $0.sql(Self.emptying(name)) }
          let user = try Username(name)
          let order = PaymentOrder(amount: try Amount("1"), payee: user)
          let answers = scene.race(
            { (backend) throws(BackendError) in try backend.deleteAccount(user, token: alice) },
            { (backend) throws(BackendError) in _ = try backend.pay(order, token: bob) })
          if answers != [nil, "payee_unknown"] && answers != ["balance_not_zero", nil] {
            findings.append("round \(round): \(answers)")
          }
        }
        let lost = """
          SELECT (SELECT sum(balance) FROM authcore.ledger_accounts)::text || ' ' || (SELECT sum(amount) FROM authcore.entries)
            || ' ' || (SELECT count(*) FROM authcore.accounts a JOIN authcore.ledger_accounts l ON l.id = a.id
              WHERE a.name LIKE '#%' AND l.balance <> 0)
            || ' ' || (SELECT count(*) FROM authcore.ledger_accounts l WHERE balance <>
              (SELECT coalesce(sum(e.amount), 0) FROM authcore.entries e WHERE e.account = l.id))
          """
        if let sums = try scene.number(lost), sums != "0 0 0 0" { findings.append("sums: \(sums)") }
        return findings
      }
      #expect(findings == [])
    }

    /// Moves the opening credit of an account to bob.
    private static func emptying(_ name: String) -> String {
      """
      WITH made AS (
        INSERT INTO authcore.transfers(payer, payee, amount, key_was_given, made_at)
        SELECT id, 2, 10000, false, 0 FROM authcore.accounts WHERE name = '\(name)' RETURNING id, payer, payee)
      INSERT INTO authcore.entries(account, transfer, amount)
        SELECT payer, id, -10000 FROM made UNION ALL SELECT payee, id, 10000 FROM made;
      UPDATE authcore.ledger_accounts SET balance = balance + 10000 WHERE id = 2;
      UPDATE authcore.ledger_accounts SET balance = 0
        WHERE id = (SELECT id FROM authcore.accounts WHERE name = '\(name)')
      """
    }
  }
}
