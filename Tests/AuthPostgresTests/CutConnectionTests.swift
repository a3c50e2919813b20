import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Foundation
import PostgresServers
import Programs
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
      let name: String
      /// What is done before it without cuts.
      var prepare: @Sendable (Scene) throws -> Void = { _ in }
      let run: @Sendable (Scene, PostgresAuthority) throws -> Void
      let effects: String
      var testDescription: String { name }
    }

    /// Accounts and a session to work with, made without the proxy.
    final class Scene: Sendable {
      let database: RulesDatabase
      let token: SessionToken

      init(_ database: RulesDatabase) throws {
        self.database = database
        try database.empty()
        let authority = database.authority
        _ = try authority.register(username: "alice", password: alicePassword)
        _ = try authority.register(username: "bob", password: bobPassword)
        token = try authority.token("alice", alicePassword)
      }

      /// A recovery code of bob.
      static let code = RecoveryCode(typed: Array("22222-22222-22222-22222-22222".utf8))

      /// Lets bob have that code.
      func issueCode() throws {
        let hash = Hex.text(SHA256.hash(Self.code.canonical))
        try superuser {
          try $0.sql(
            """
            INSERT INTO auth.codes(account, code_hash)
              SELECT id, '\\x\(hash)' FROM auth.accounts WHERE name = 'bob'
            """)
        }
      }

      static let secret = TwoStepSecret(bytes: Array("12345678901234567890".utf8), username: "alice")
      static var step: Secret { secret.code(at: .now()) }

      /// Gives alice a second step: one that is on, or one that waits for a code.
      func beginTwoStep(isOn: Bool) throws {
        try superuser {
          try $0.sql(
            """
            INSERT INTO auth.two_steps(account, secret, last_step, since)
              SELECT id, '12345678901234567890', \(isOn ? "0, 0" : "NULL, NULL") FROM auth.accounts WHERE name = 'alice'
            """)
        }
      }

      /// Gives all money of bob to alice.
      func emptyBob() throws {
        let order = PaymentOrder(amount: try Amount("100"), payee: try Username("alice"), key: nil)
        let bob = try database.authority.token("bob", bobPassword)
        _ = try database.authority.rules.pay(order, token: bob)
      }

      func effects(_ query: String) throws -> Int {
        try superuser { Int(try $0.rows(query).first?[0] ?? "") ?? -1 }
      }

      private func superuser<Result>(_ body: (ServerConnection) throws -> Result) throws -> Result {
        try body(try Databases.connect(database.address))
      }
    }

    private static func events(_ name: EventName) -> String {
      "SELECT count(*) FROM auth.events WHERE name = '\(name.rawValue)'"
    }
    private static func order(_ key: String?) throws -> PaymentOrder {
      PaymentOrder(
        amount: try Amount("1"), payee: try Username("bob"), key: try key.map { try IdempotencyKey($0) })
    }

    static let commands: [Command] = [
      Command(
        name: "register",
        run: { _ = try $1.register(username: "carol", password: Secret("paper lantern river orchard")) },
        effects: events(.userCreated)),
      Command(
        name: "login",
        run: { _ = try $1.logIn(Credentials.password(username: "alice", password: alicePassword), limits: .standard) },
        effects: events(.loginSucceeded)),
      Command(
        name: "login in two steps", prepare: { try $0.beginTwoStep(isOn: true) },
        run: {
          do throws(BackendError) {
            _ = try $1.logIn(Credentials.password(username: "alice", password: alicePassword), limits: .standard)
          } catch {
            guard case .challenged(let challenge) = error.kind else { throw error }
            _ = try $1.answer(Scene.step, to: challenge)
          }
        }, effects: events(.loginSucceeded)),
      Command(
        name: "two-step on", prepare: { try $0.beginTwoStep(isOn: false) },
        run: { try $1.rules.confirmTwoStep(Scene.step, token: $0.token) }, effects: events(.twoStepOn)),
      Command(
        name: "two-step off", prepare: { try $0.beginTwoStep(isOn: true) },
        run: { try $1.rules.endTwoStep(Scene.step, token: $0.token) }, effects: events(.twoStepOff)),
      Command(
        name: "accounts two-step", run: { try $1.rules.setTwoStepPolicy(.required, token: $0.token) },
        effects: "SELECT two_step_required FROM auth.authority"),
      Command(
        name: "reauth",
        run: { _ = try $1.reauthenticate($0.token, password: alicePassword, requesting: .standard) },
        effects: events(.reauthenticated)),
      Command(
        name: "pay", run: { _ = try $1.rules.pay(try order(nil), token: $0.token) },
        effects: "SELECT count(*) FROM auth.transfers WHERE payer <> 0"),
      Command(
        name: "pay with a key", run: { _ = try $1.rules.pay(try order("key"), token: $0.token) },
        effects: "SELECT count(*) FROM auth.transfers WHERE payer <> 0"),
      Command(
        name: "profile --name", run: { _ = try $1.rules.rename(to: "Ada", token: $0.token) },
        effects: events(.userUpdated)),
      Command(
        name: "password",
        run: {
          _ = try $1.changePassword(from: alicePassword, to: Secret("quite another password"), token: $0.token)
        }, effects: events(.passwordChanged)),
      Command(
        name: "logout --all", run: { _ = try $1.rules.endAllSessions(token: $0.token) }, effects: events(.sessionEnded)),
      Command(
        name: "accounts disable",
        run: { _ = try $1.rules.setDisabled(true, account: try Username("bob"), token: $0.token) },
        effects: events(.userDisabled)),
      Command(
        name: "accounts unlock", run: { _ = try $1.rules.unlock(account: try Username("bob"), token: $0.token) },
        effects: events(.loginUnlocked)),
      Command(
        name: "accounts show", run: { try $1.rules.noteView(of: "bob", token: $0.token) },
        effects: events(.sensitiveRead)),
      Command(
        name: "recovery-codes", run: { _ = try $1.rules.makeRecoveryCodes(token: $0.token) },
        effects: events(.recoveryCodesMade)),
      Command(
        name: "recover", prepare: { try $0.issueCode() },
        run: { _ = try $1.recover(username: "bob", code: Scene.code, password: Secret("quite another password")) },
        effects: events(.recovered)),
      Command(
        name: "accounts reset-password",
        run: { _ = try $1.rules.resetPassword(of: try Username("bob"), token: $0.token) },
        effects: events(.oneTimeCodeMade)),
      Command(
        name: "accounts promote",
        run: { _ = try $1.rules.setRole(.administrator, account: try Username("bob"), token: $0.token) },
        effects: "SELECT count(*) FROM auth.accounts WHERE role = 'administrator'"),
      Command(
        name: "accounts registration", run: { try $1.rules.setRegistration(.closed, token: $0.token) },
        effects: "SELECT registration_closed FROM auth.authority"),
      Command(
        name: "register, closed", run: { _ = try $1.rules.registerOther(username: "carol", token: $0.token) },
        effects: events(.userCreated)),
      Command(
        name: "accounts delete", prepare: { try $0.emptyBob() },
        run: { try $1.rules.deleteAccount(try Username("bob"), token: $0.token) }, effects: events(.userDeleted)),
    ]

    @Test(
      "whatever is cut, what is said is true, and nothing happens twice",
      arguments: Effort.sample(commands, 4))
    func cut(command: Command) throws {
      let proxy = CuttingProxy(target: try Databases.shared().server.directory)
      defer { proxy.close() }
      // How many messages there are.
      let database = try RulesDatabase()
      let first = try Scene(database)
      try command.prepare(first)
      try command.run(first, try backend(first, proxy))
      let counts = proxy.counts
      var cuts: [CuttingProxy.Cut] = []
      for fromServer in [false, true] {
        for message in 0..<(fromServer ? counts.server : counts.client) {
          for phase in CuttingProxy.Cut.Phase.allCases {
            cuts.append(.init(fromServer: fromServer, message: message, phase: phase))
          }
        }
      }
      #expect(cuts.count > 30)
      let wanted = ProcessInfo.processInfo.environment["CUT_CONNECTIONS"] ?? "2"
      if let count = Int(wanted) { cuts = Array(cuts.shuffled().prefix(count)) }
      for cut in cuts {
        let scene = try Scene(database)
        try command.prepare(scene)
        let before = try scene.effects(command.effects)
        proxy.arm(cut)
        var failure: BackendError?
        do { try command.run(scene, try backend(scene, proxy)) } catch { failure = error as? BackendError }
        proxy.arm(nil)
        try settle(scene)
        let effect = try scene.effects(command.effects) - before
        switch failure?.code {
        case nil: #expect(effect == 1, "\(command.name), \(cut): reported as done")
        case "outcome_unknown": #expect((0...1).contains(effect), "\(command.name), \(cut): reported as unknown")
        case let code: #expect(effect == 0, "\(command.name), \(cut): reported as \(code ?? "")")
        }
        #expect(
          try scene.effects(
            "SELECT sum(balance)::bigint + (SELECT sum(amount)::bigint FROM auth.entries) FROM auth.ledger_accounts"
          ) == 0)
      }
    }

    private func backend(_ scene: Scene, _ proxy: CuttingProxy) throws -> PostgresAuthority {
      let address = try ServerAddress(
        "host=\(proxy.directory) user=postgres dbname=\(scene.database.name) application_name=cut")
      return PostgresAuthority(PostgresDatabase(address))
    }

    /// Waits until the server has ended what the cut connection began.
    private func settle(_ scene: Scene) throws {
      while try scene.effects(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(scene.database.name)' AND application_name = 'cut' AND state <> 'idle'"
      ) != 0 {}
    }
  }
}
