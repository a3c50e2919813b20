import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Foundation
import PostgresServers
import Programs
import Races
import Terminals
import Testing
import TextFormat

@testable import AuthPostgres

extension PostgresTests {
  /// What needs a terminal, over a server, as a person has it.
  @Suite(.timeLimit(.minutes(10))) struct AppProgramTests {
    private static let alice = "marble kettle window harvest"

    /// A database with alice and bob, and a machine with a home of its own.
    private final class Site: Sendable {
      let database: TestDatabase
      let environment: [String: String]
      private let home = NSTemporaryDirectory() + "app-\(UInt32.random(in: 0 ... .max))"

      init() throws {
        database = try Databases.shared.make()
        try database.backend().registerBoth()
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        environment = [
          "HOME": home, "PATH": "/usr/bin:/bin", "TERM": "xterm", "TZ": "GMT",
          "AUTH_CLI_AUTHORITY": database.server.address(database.name, user: "person"),
        ]
      }

      deinit {
        try? FileManager.default.removeItem(atPath: home)
      }

      func launch(_ words: String..., on terminal: PseudoTerminal) throws -> TerminalProcess {
        try terminal.launch([LeastCost.folder + "/auth-cli-postgres"] + words, environment: environment)
      }

      /// Waits until a query answers `t`.
      func wait(for query: String) throws {
        try database.superuser { connection in
          let deadline = Deadline(.seconds(60))
          while try connection.rows(query) != [["t"]] {
            if deadline.hasPassed { throw PseudoTerminal.Failure(description: "not true: \(query)") }
            var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
            nanosleep(&pause, nil)
          }
        }
      }
    }

    @Test("log in, pay, see the end of the session at the server close the screen, quit")
    func story() async throws {
      let site = try Site()
      let terminal = try PseudoTerminal()
      try await onOwnThread {
        let app = try site.launch("app", on: terminal)
        try terminal.expectScreen("Welcome. Nobody is logged in.")
        try terminal.send("lalice\r\(Self.alice)\r")
        try terminal.expectScreen("Welcome, alice.")
        try terminal.send("2")
        try terminal.expectScreen("Your balance is 100.00.")
        try terminal.send("bob\r12.50\r")
        try terminal.expectScreen("Pay 12.50 to bob? After this you have 87.50. y/n")
        try terminal.send("y")
        try terminal.expectScreen("Paid 12.50 to bob.")
        try terminal.expectScreen("Your balance is 87.50.")
        // Nothing on this machine tells the program what follows: a connection of its own listens.
        try site.wait(
          for: """
            SELECT count(*) > 0 FROM pg_stat_activity
            WHERE usename = 'person' AND datname = current_database() AND query LIKE 'LISTEN %'
            """)
        let elsewhere = try site.database.backend()
        let token = try elsewhere.logIn(Credentials(username: "alice", password: alicePassword), limits: .standard)
          .token
        _ = try elsewhere.endAllSessions(token: token)
        let closed = try terminal.expectScreen("the end of the session") {
          $0.text.contains("You were logged out in another terminal.") && $0.text.contains("[Log in]")
        }
        #expect(closed.text.contains("[1 Home]"))
        // The page takes Enter and Esc alone, and only after a pause without a key.
        let hint = "Enter or Esc: go on"
        while try terminal.expectScreen("a page", { $0.text.contains(hint) || $0.text.contains("Welcome.") })
          .text.contains(hint)
        {
          try terminal.send("\u{1B}")
          try terminal.expectScreen("no page that can be left") { !$0.text.contains(hint) }
        }
        try terminal.send("q")
        #expect(try app.wait() == .exited(0))
        #expect(!terminal.transcript.contains("battery"))
      }
    }

    @Test("a login in two steps asks for a code on the terminal, again after a wrong one")
    func secondStep() async throws {
      let site = try Site()
      let code = String(repeating: "2", count: 25)
      let hash = Hex.text(SHA256.hash(RecoveryCode(typed: Array(code.utf8)).canonical))
      try site.database.superuser {
        try $0.sql(
          """
          INSERT INTO authcore.two_steps SELECT id, '12345678901234567890', 0, 0 FROM authcore.accounts WHERE name = 'alice';
          INSERT INTO authcore.codes(account, code_hash) SELECT id, '\\x\(hash)' FROM authcore.accounts WHERE name = 'alice';
          """)
      }
      let terminal = try PseudoTerminal()
      try await onOwnThread {
        let login = try site.launch("login", "alice", on: terminal)
        try terminal.expect("Password for alice: ")
        try terminal.send(Self.alice + "\n")
        try terminal.expect("Authenticator or recovery code: ")
        try terminal.send("000000\n")
        try terminal.expect("Authenticator or recovery code: ")
        try terminal.send(code + "\n")
        try terminal.expect("Logged in as alice.")
        #expect(try login.wait() == .exited(0))
        #expect(!terminal.transcript.contains("battery") && !terminal.transcript.contains(code))
      }
    }
  }
}
