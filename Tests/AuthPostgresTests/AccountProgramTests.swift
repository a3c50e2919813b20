import Foundation
import PostgresServers
import Programs
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Codes, roles and deletions over a server, as people use them.
  @Suite struct AccountProgramTests {
    private static let password = "echo 'marble kettle window harvest' |"

    /// A server with a database that `keeper` owns, and the client `person`.
    private func site() async throws -> ProgramTests.Site {
      let site = try ProgramTests.Site()
      let made = try await site.run(
        """
        createuser --createrole keeper
        createuser person
        createdb --owner=keeper accounts
        export AUTH_CLI_AUTHORITY='postgresql:///accounts?user=keeper'
        \(Self.password) auth-cli schema install --first-administrator alice --password-stdin
        psql --quiet --command='GRANT auth_cli TO person' accounts
        """)
      try #require(made.ending == .exited(0), "\(made.text)")
      return site
    }

    private static func authority(_ user: String) -> String { "postgresql:///accounts?user=\(user)" }

    @Test(
      "the owner of the database, without a login, makes a one-time code, as the event says, and ends a second step"
    )
    func owner() async throws {
      let site = try await site()
      defer { site.close() }
      let outcome = try await site.run(
        """
        auth-cli accounts reset-password alice --as-owner >"$HOME/code"
        grep -xE '([0-9a-z]{5}-){4}[0-9a-z]{5}' "$HOME/code"
        export AUTH_CLI_AUTHORITY='\(Self.authority("person"))'
        (cat "$HOME/code"; echo 'quiet meadow copper lantern') | auth-cli recover alice --password-stdin
        echo 'quiet meadow copper lantern' | auth-cli login alice --password-stdin
        auth-cli events --csv 2>/dev/null | tr -d '\\r' | cut -d, -f3-5,7 | grep one_time_code
        """, authority: Self.authority("keeper"))
      #expect(outcome.ending == .exited(0), "\(outcome.text)")
      #expect(outcome.text.contains("The new password of alice is set; all sessions are ended."), "\(outcome.text)")
      #expect(
        outcome.text.contains("one_time_code_created,alice,,reset by the owner of the database"), "\(outcome.text)")
      try await turnOffSecondStep(on: site, password: "quiet meadow copper lantern")
    }

    /// What the threat model tells the owner for a lost device, on the server that has it.
    private func turnOffSecondStep(on site: ProgramTests.Site, password: String) async throws {
      let article = try String(
        contentsOfFile: ProgramTests.repository + "/Sources/AuthCore/AuthCore.docc/ThreatModel.md", encoding: .utf8)
      let script = try #require(
        article.components(separatedBy: "```sql\n").compactMap { $0.components(separatedBy: "```").first }
          .first { $0.contains("auth_cli_owner") && $0.contains("DELETE FROM two_steps") })
      let outcome = try await site.run(
        """
        login() { echo '\(password)' | auth-cli login alice --password-stdin --quiet; }
        psql --quiet --username=postgres accounts <<'END'
          INSERT INTO authcore.two_steps SELECT id, '12345678901234567890', 0, 0 FROM authcore.accounts WHERE name = 'alice';
        END
        auth-cli two-step status
        auth-cli logout
        login 2>/dev/null || echo "status $?"
        psql --username=keeper accounts <<'END'
        \(script)
        END
        login
        auth-cli two-step status
        ! psql --username=keeper --command='SELECT name FROM authcore.accounts' accounts
        """, authority: Self.authority("person"))
      #expect(outcome.ending == .exited(0), "\(outcome.text)")
      #expect(outcome.text.hasPrefix("On"), "\(outcome.text)")
      #expect(outcome.text.contains("\nstatus 5\n"), "\(outcome.text)")
      #expect(outcome.text.contains("\nOff."), "\(outcome.text)")
      #expect(outcome.text.contains("ERROR:  permission denied for table accounts"), "\(outcome.text)")
    }

    @Test("a client that does not own the database is refused, administrator or not, and no code is made")
    func client() async throws {
      let site = try await site()
      defer { site.close() }
      let refused = try await site.run(
        """
        \(Self.password) auth-cli login alice --password-stdin
        ! auth-cli accounts reset-password alice --as-owner
        auth-cli accounts reset-password alice --as-owner --json 2>/dev/null || test $? = 1
        ! auth-cli accounts reset-password nobody --as-owner 2>/dev/null
        psql -XAtqc 'SELECT count(*) FROM authcore.codes' -c "SELECT count(*) FROM authcore.events WHERE name LIKE '%code%'" accounts
        """, authority: Self.authority("person"))
      #expect(refused.ending == .exited(0), "\(refused.text)")
      let refusal =
        "auth-cli: the database belongs to somebody else\nAsk its owner. If you are an administrator, omit --as-owner."
      #expect(refused.text.contains(refusal), "\(refused.text)")
      #expect(refused.text.contains(#""status":1,"code":"not_database_owner""#), "\(refused.text)")
      #expect(refused.text.hasSuffix("\n0\n0\n"), "\(refused.text)")
    }

    @Test("a login asks for a code after the password, takes each once, and recover turns nothing off")
    func twoStep() async throws {
      let site = try await site()
      defer { site.close() }
      let outcome = try await site.run(
        #"""
        export PGOPTIONS='-c search_path=authcore'
        code() {
          psql -XAtqc "SELECT totp(secret, floor(extract(epoch FROM clock_timestamp()) / 30)::bigint + $1) FROM two_steps" accounts
        }
        password='marble kettle window harvest'
        new='quiet meadow copper lantern'
        login() { printf '%s\n' "$@" | env -u PGOPTIONS auth-cli login alice --password-stdin 2>&1; }
        tool() { env -u PGOPTIONS auth-cli "$@"; }
        login "$password"
        tool recovery-codes --quiet >"$HOME/codes"
        tool two-step on --quiet >"$HOME/secret"
        grep -xE '[A-Z2-7]{32}' "$HOME/secret" >/dev/null
        code -1 | tool two-step on --code-stdin
        tool logout --quiet
        login "$password" || echo "status $?"
        login "$password" 000000 || echo "status $?"
        used=$(code 0)
        login "$password" "$used"
        tool logout --quiet
        login "$password" "$used" || echo "status $?"
        (sed -n 1p "$HOME/codes"; echo "$new") | tool recover alice --password-stdin
        login "$new" || echo "status $?"
        login "$new" "$(sed -n 2p "$HOME/codes")"
        tool two-step status
        ! tool two-step on 2>&1
        sed -n 3p "$HOME/codes" | tool two-step off --code-stdin
        tool logout --quiet
        login "$new"
        tool events --csv --limit 100 2>/dev/null | tr -d '\r' | cut -d, -f3 | grep -o 'two_step.*' | sort | uniq -c
        """#, authority: Self.authority("person"))
      #expect(outcome.ending == .exited(0), "\(outcome.text)")
      #expect(outcome.text.components(separatedBy: "status 5").count == 5, "\(outcome.text)")
      for line in [
        "The second step of alice is on.", "wrong code", "8 recovery codes left", " 1 two_step_off", " 1 two_step_on",
      ] {
        #expect(outcome.text.contains(line), "\(line): \(outcome.text)")
      }
    }

    @Test("one code twice, two demotions, a deletion against a payment: one process wins, and no money is lost")
    func races() async throws {
      let site = try await site()
      defer { site.close() }
      let rounds = Program.inheritedEnvironment["ACCOUNT_RACE_ROUNDS"] ?? (Effort.isComplete ? "2" : "1")
      let outcome = try await site.run(
        """
        '\(ProgramTests.repository)/fixtures/account-races.sh' \(rounds)
        psql -XAtqc 'SELECT sum(balance) FROM authcore.ledger_accounts' -c 'SELECT sum(amount) FROM authcore.entries' accounts
        """, authority: Self.authority("person"), timeLimit: .seconds(3600))
      #expect(outcome.ending == .exited(0), "\(outcome.text)")
      #expect(outcome.text.hasSuffix("\n0\n0\n"), "\(outcome.text)")
      if rounds.count > 1 { print(outcome.text) }
    }
  }
}
