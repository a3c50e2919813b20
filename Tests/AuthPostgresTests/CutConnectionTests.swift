import AuthBackend
import AuthCore
import AuthDevice
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
  @Suite(.serialized) struct CutConnectionTests {
    /// A command, and how often it took effect so far.
    struct Command: Sendable, CustomTestStringConvertible {
      let testDescription: String
      /// The request of it in a session of alice.
      let request: @Sendable (SessionToken) throws -> BackendRequest
      /// How often it took effect.
      let effects: String
      /// What the database has before it.
      let preparation: String

      init(
        _ name: String, _ effects: String, after preparation: String = "",
        _ request: @escaping @Sendable (SessionToken) throws -> BackendRequest
      ) {
        (testDescription, self.request, self.effects, self.preparation) = (name, request, effects, preparation)
      }

      init(
        _ name: String, _ event: EventName, after preparation: String = "",
        _ request: @escaping @Sendable (SessionToken) throws -> BackendRequest
      ) {
        let effects = "SELECT count(*) FROM auth.events WHERE name = '\(event.rawValue)'"
        self.init(name, effects, after: preparation, request)
      }

      func run(_ rules: Rules, _ token: SessionToken) throws(BackendError) {
        let request: BackendRequest
        do { request = try self.request(token) } catch { preconditionFailure("\(error)") }
        do throws(BackendError) {
          _ = try rules.perform(request)
        } catch {
          guard case .challenged(let challenge) = error.kind else { throw error }
          _ = try rules.perform(.answer(Self.step, challenge: challenge.token, .random))
        }
      }

      static let code = RecoveryCode(typed: Array("22222-22222-22222-22222-22222".utf8))
      static let codeOfBob =
        "INSERT INTO auth.codes(account, code_hash) VALUES (2, '\\x\(Hex.text(SHA256.hash(code.canonical)))')"

      private static let secret = Array("12345678901234567890".utf8)
      static var step: Secret { TwoStepSecret(bytes: secret, username: "alice").code(at: .now()) }
      /// A second step of alice: one that is on, or one that waits for a code.
      static func twoStep(isOn: Bool) -> String {
        """
        INSERT INTO auth.two_steps(account, secret, last_step, since)
          VALUES (1, '\(String(decoding: secret, as: UTF8.self))', \(isOn ? "0, 0" : "NULL, NULL"))
        """
      }

      static func bob() throws -> Username { try Username("bob") }
      static func order(_ key: String? = nil) throws -> PaymentOrder {
        PaymentOrder(amount: try Amount("1"), payee: try bob(), key: try key.map { try IdempotencyKey($0) })
      }
    }

    private static let newPassword = Secret("quite another password")
    private static let payments = "SELECT count(*) FROM auth.transfers WHERE payer <> 0"

    static let commands: [Command] = [
      Command("register", .userCreated) { _ in .register(username: "carol", newPassword, displayName: nil) },
      Command("login", .loginSucceeded) { _ in .logIn(try Username("alice"), alicePassword) },
      Command("login in two steps", .loginSucceeded, after: Command.twoStep(isOn: true)) { _ in
        .logIn(try Username("alice"), alicePassword)
      },
      Command("two-step on", .twoStepOn, after: Command.twoStep(isOn: false)) { .confirmTwoStep(Command.step, $0) },
      Command("two-step off", .twoStepOff, after: Command.twoStep(isOn: true)) { .endTwoStep(Command.step, $0) },
      Command("accounts two-step", "SELECT two_step_required FROM auth.authority") { .setTwoStepPolicy(.required, $0) },
      Command("reauth", .reauthenticated) {
        .reauthenticate($0, alicePassword, .standard, newToken: NewSession.random.token)
      },
      Command("pay", payments) { .pay(try Command.order(), $0) },
      Command("pay with a key", payments) { .pay(try Command.order("key"), $0) },
      Command("profile --name", .userUpdated) { .rename("Ada", $0) },
      Command("password", .passwordChanged) {
        .changePassword(from: alicePassword, to: newPassword, $0, newToken: NewSession.random.token)
      },
      Command("logout --all", .sessionEnded) { .endAllSessions($0) },
      Command("accounts disable", .userDisabled) { .setDisabled(true, try Command.bob(), $0) },
      Command("accounts unlock", .loginUnlocked) { .unlock(try Command.bob(), $0) },
      Command("accounts show", .sensitiveRead) { .noteView("bob", $0) },
      Command("recovery-codes", .recoveryCodesMade) { .makeRecoveryCodes($0) },
      Command("recover", .recovered, after: Command.codeOfBob) { _ in
        .recover(username: "bob", Command.code, newPassword)
      },
      Command("accounts reset-password", .oneTimeCodeMade) { .resetPassword(try Command.bob(), $0) },
      Command("accounts promote", "SELECT count(*) FROM auth.accounts WHERE role = 'administrator'") {
        .setRole(.administrator, try Command.bob(), $0)
      },
      Command("accounts registration", "SELECT registration_closed FROM auth.authority") {
        .setRegistration(.closed, $0)
      },
      Command("register, closed", .userCreated) { .registerOther(username: "carol", $0) },
      Command(
        "accounts delete", .userDeleted,
        // All money of bob is alice's.
        after: "UPDATE auth.ledger_accounts SET balance = CASE id WHEN 1 THEN 20000 ELSE 0 END WHERE id IN (1, 2)"
      ) { .deleteAccount(try Command.bob(), $0) },
    ]

    @Test(
      "whatever is cut, what is said is true, and nothing happens twice",
      arguments: Effort.sample(commands, 4))
    func cut(command: Command) throws {
      let proxy = CuttingProxy(target: try Databases.shared().server.directory)
      defer { proxy.close() }
      let database = try RulesDatabase()
      let address = try ServerAddress(
        "host=\(proxy.directory) user=postgres dbname=\(database.name) application_name=cut")
      /// Runs the command on new accounts through the proxy.
      func run(_ cut: CuttingProxy.Cut?) throws -> (code: String?, effect: Int) {
        try database.empty()
        let token = try database.registerBoth()
        try database.sql(command.preparation)
        let before = try database.number(command.effects)
        let rules = PostgresAuthority(PostgresDatabase(address)).rules
        proxy.arm(cut)
        let code = code { try command.run(rules, token) }
        let counts = proxy.counts
        proxy.arm(nil)
        if cut == nil { cuts = CuttingProxy.Cut.all(counts) }
        // Until the server has ended what the cut connection began.
        let busy =
          "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'cut' AND state <> 'idle'"
        while try database.number(busy) != 0 {}
        return (code, try database.number(command.effects) - before)
      }
      // How many messages there are.
      var cuts: [CuttingProxy.Cut] = []
      #expect(try run(nil) == (nil, 1))
      #expect(cuts.count > 30)
      let wanted = ProcessInfo.processInfo.environment["CUT_CONNECTIONS"] ?? "2"
      if let count = Int(wanted) { cuts = Array(cuts.shuffled().prefix(count)) }
      for cut in cuts {
        let (code, effect) = try run(cut)
        switch code {
        case nil: #expect(effect == 1, "\(cut): reported as done")
        case "outcome_unknown": #expect((0...1).contains(effect), "\(cut): reported as unknown")
        case let code: #expect(effect == 0, "\(cut): reported as \(code ?? "")")
        }
        #expect(
          try database.number(
            "SELECT sum(balance)::bigint + (SELECT sum(amount)::bigint FROM auth.entries) FROM auth.ledger_accounts")
            == 0)
      }
    }
  }
}
