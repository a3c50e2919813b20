import AuthAccounts
import AuthCore
import AuthRules
import Foundation
import PostgresServers
import Programs
import Services
import Testing
import TextFormat

@testable import AuthPostgres

extension PostgresTests {
  /// The connection is cut before, in and after each message of 22 commands, in both
  /// directions.
  ///
  /// A few cuts of each in `make test-all`, and of four in `make test`; `CUT_CONNECTIONS` is how
  /// many, or `all`.
  @Suite struct CutConnectionTests {
    /// A command in a session of alice.
    struct Command: Sendable, CustomTestStringConvertible {
      let testDescription: String
      /// The query of how often it took effect so far.
      let effects: String
      /// What the database has before it.
      let preparation: String
      let request: @Sendable (SessionToken) throws -> Request

      init(
        _ name: String, _ effects: String, after preparation: String = "",
        _ request: @escaping @Sendable (SessionToken) throws -> Request
      ) {
        (testDescription, self.request, self.effects, self.preparation) = (name, request, effects, preparation)
      }
    }

    private static let secret = Array("12345678901234567890".utf8)
    private static var step: Secret { TwoStepSecret(bytes: secret, username: "alice").code(at: .now()) }
    /// A second step of alice: one that is on, or one that waits for a code.
    private static func twoStep(isOn: Bool) -> String {
      """
      INSERT INTO two_steps(account, secret, last_step, since)
        VALUES (1, '\(String(decoding: secret, as: UTF8.self))', \(isOn ? "0, 0" : "NULL, NULL"))
      """
    }

    private static let oneTimeCode = RecoveryCode(typed: Array("22222-22222-22222-22222-22222".utf8))
    private static let codeOfBob =
      "INSERT INTO codes(account, code_hash) VALUES (2, '\\x\(Hex.text(SHA256.hash(oneTimeCode.canonical)))')"

    private static func events(_ name: EventName) -> String {
      "SELECT count(*) FROM events WHERE name = '\(name.rawValue)'"
    }
    private static let payments = "SELECT count(*) FROM transfers WHERE payer <> 0"

    static let commands: [Command] = [
      Command("register", events(.userCreated)) { _ in Operations.register("carol", newPassword, nil) },
      Command("login", events(.loginSucceeded)) { _ in .logIn(try Username("alice"), alicePassword) },
      Command("login in two steps", events(.loginSucceeded), after: twoStep(isOn: true)) { _ in
        .logIn(try Username("alice"), alicePassword)
      },
      Command("two-step on", events(.twoStepOn), after: twoStep(isOn: false)) { Operations.confirmTwoStep(step, $0) },
      Command("two-step off", events(.twoStepOff), after: twoStep(isOn: true)) { Operations.endTwoStep(step, $0) },
      Command("accounts two-step", "SELECT two_step_required FROM authority") {
        Operations.setTwoStepPolicy(.required, $0)
      },
      Command("reauth", events(.reauthenticated)) {
        Operations.reauthenticate($0, alicePassword, .standard, NewSession.random.token)
      },
      Command("pay", payments) { Operations.pay(try PaymentOrder("1"), $0) },
      Command("pay with a key", payments) { Operations.pay(try PaymentOrder("1", key: "key"), $0) },
      Command("profile --name", events(.userUpdated)) { Operations.rename("Ada", $0) },
      Command("password", events(.passwordChanged)) {
        Operations.changePassword(alicePassword, newPassword, $0, NewSession.random.token)
      },
      Command("logout --all", events(.sessionEnded)) { Operations.endAllSessions($0) },
      Command("accounts disable", events(.userDisabled)) { Operations.setDisabled(true, try Username("bob"), $0) },
      Command("accounts unlock", events(.loginUnlocked)) { Operations.unlock(try Username("bob"), $0) },
      Command("accounts show", events(.sensitiveRead)) { Operations.noteView("bob", $0) },
      Command("recovery-codes", events(.recoveryCodesMade)) { Operations.makeRecoveryCodes($0) },
      Command("recover", events(.recovered), after: codeOfBob) { _ in
        Operations.recover("bob", oneTimeCode, newPassword)
      },
      Command("accounts reset-password", events(.oneTimeCodeMade)) {
        Operations.resetPassword(try Username("bob"), $0)
      },
      Command("accounts promote", "SELECT count(*) FROM accounts WHERE role = 'administrator'") {
        Operations.setRole(.administrator, try Username("bob"), $0)
      },
      Command("accounts registration", "SELECT registration_closed FROM authority") {
        Operations.setRegistration(.closed, $0)
      },
      Command("register, closed", events(.userCreated)) { Operations.registerOther("carol", $0) },
      Command(
        "accounts delete", events(.userDeleted),
        // bob has paid all his money to alice: the opening credit of an unused account would be
        // paid back.
        after: """
          WITH paid AS (
            INSERT INTO transfers(payer, payee, amount, key, made_at) VALUES (2, 1, 10000, 'all', 0) RETURNING id)
          INSERT INTO entries(account, transfer, amount)
          SELECT side, id, part FROM paid, (VALUES (2, -10000), (1, 10000)) AS parts(side, part);
          UPDATE ledger_accounts SET balance = CASE id WHEN 1 THEN 20000 ELSE 0 END WHERE id IN (1, 2)
          """
      ) { Operations.deleteAccount(try Username("bob"), $0) },
    ]

    @Test(
      "wherever the connection is cut, the reported outcome is true, and nothing happens twice",
      arguments: Effort.sample(commands, 4))
    func cut(command: Command) throws {
      let database = try RulesDatabase(isEmpty: true)
      let proxy = CuttingProxy(target: database.server.directory)
      defer { proxy.close() }
      let address = "host=\(proxy.directory) user=postgres dbname=\(database.name) application_name=cut"
      /// Runs the command on new accounts through the proxy.
      func run(_ cut: CuttingProxy.Cut?) throws -> (code: String?, effect: Int, cuts: [CuttingProxy.Cut]) {
        try database.sql("SET client_min_messages = error; DROP SCHEMA IF EXISTS auth CASCADE")
        try PostgresSchema.install(try ServerAddress(database.address))
        let direct = try PostgresAuthority(database.address)
        try direct.registerBoth()
        let token = try direct.logIn().token
        try database.sql(command.preparation)
        let before = try database.number(command.effects)
        let rules = try PostgresAuthority(address).rules
        proxy.arm(cut)
        let code = code { try Self.perform(command.request(token), rules) }
        let counts = proxy.counts
        proxy.arm(nil)
        // Until the server has ended what the cut connection began.
        let busy =
          "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'cut' AND state <> 'idle'"
        while try database.number(busy) != 0 {}
        return (code, try database.number(command.effects) - before, CuttingProxy.Cut.all(counts))
      }
      let uncut = try run(nil)
      #expect(uncut.code == nil && uncut.effect == 1 && uncut.cuts.count > 30)
      let isAll = ProcessInfo.processInfo.environment["CUT_CONNECTIONS"] == "all"
      for cut in isAll ? uncut.cuts : Array(uncut.cuts.shuffled().prefix(Effort.number("CUT_CONNECTIONS") ?? 2)) {
        let (code, effect, _) = try run(cut)
        switch code {
        case nil: #expect(effect == 1, "\(cut): reported as done")
        case "outcome_unknown": #expect((0...1).contains(effect), "\(cut): reported as unknown")
        case let code: #expect(effect == 0, "\(cut): reported as \(code ?? "")")
        }
        #expect(
          try database.number(
            "SELECT sum(balance)::bigint + (SELECT sum(amount)::bigint FROM entries) FROM ledger_accounts") == 0)
      }
    }

    /// Performs a request, and answers a challenge.
    private static func perform(_ request: Request, _ rules: Rules) throws(BackendError) {
      do throws(BackendError) {
        _ = try request.serve(rules)
      } catch {
        guard case .challenged(let challenge) = error.kind else { throw error }
        _ = try Operations.answer(step, challenge.token, .random).serve(rules)
      }
    }
  }
}
