import AuthBackend
import Foundation
import PostgresServers
import Programs
import Testing

extension PostgresTests {
  /// It takes as long as the others here, so it is no link of their chain.
  @Suite struct ReadmeTests {
    @Test("the article's steps lead from an empty server to a payment, and to a second machine")
    func readme() async throws {
      let blocks = try ProgramTests.articleBlocks()
      let site = try ProgramTests.Site(isShipped: true)
      defer { site.close() }
      for block in blocks.prefix(2) {
        let outcome = try await site.run(block)
        #expect(outcome.ending == .exited(0), "\(outcome.text)")
      }
      let second = try await site.run(blocks[1].replacing(/.*auth-cli register.*\n/, with: ""), machine: "second")
      #expect(second.ending == .exited(0), "\(second.text)")
      #expect(second.text.contains("Database accounts at \(site.server.directory) as carol, on this machine."))
      #expect(second.text.contains("Paid 12.50 to alice."))
      let hashes = try await site.run("psql -XAtqc 'SELECT DISTINCT left(setting, 7) FROM authcore.accounts' accounts")
      #expect(hashes.text == PasswordCost.standard.prefix + "\n", "the shipped programs hash at the standard cost")
    }
  }

  /// The executables, as a person uses them.
  @Suite(.serialized) struct ProgramTests {
    static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    private static let products =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      .map { ($0 as NSString).deletingLastPathComponent } ?? ""

    /// A server, and a machine with a home directory for each person who uses it.
    final class Site: Sendable {
      let server: ThrowawayServer
      let home: String
      private let programs: String

      // The executables with the least cost of a password are used unless those that are shipped are
      // asked for.
      init(isShipped: Bool = false) throws {
        programs = isShipped ? ProgramTests.products : LeastCost.folder
        server = try ThrowawayServer()
        home = NSTemporaryDirectory() + "site-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      }

      func close() {
        server.stop()
        try? FileManager.default.removeItem(atPath: home)
      }

      func run(
        _ script: String, machine: String = "first", authority: String? = nil, timeLimit: Duration = .seconds(120)
      ) async throws -> ProgramOutcome {
        var environment = [
          "PATH": programs + ":/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin",
          "HOME": "\(home)/\(machine)", "PGHOST": server.directory, "PGUSER": "postgres", "LC_ALL": "C.UTF-8",
        ]
        environment["AUTH_CLI_AUTHORITY"] = authority
        return try await Program(
          "bash", ["-euo", "pipefail", "-c", "mkdir -p \"$HOME\"\n" + script], environment: environment,
          timeLimit: timeLimit
        ).run()
      }
    }

    /// The commands of the article *Many machines*: the set-up, those of a person, and the two
    /// of an import.
    fileprivate static func articleBlocks() throws -> [String] {
      let path = Self.repository + "/Sources/AuthCore/AuthCore.docc/ManyMachines.md"
      let blocks = try String(contentsOfFile: path, encoding: .utf8)
        .components(separatedBy: "```server\n").dropFirst().map {
          $0.components(separatedBy: "```")[0]
        }
      try #require(blocks.count == 4)
      return blocks
    }

    @Test("beside another database nothing is sent, erased or called revoked")
    func otherDatabase() async throws {
      let site = try Site()
      defer { site.close() }
      let password = "echo 'paper lantern river orchard' |"
      let made = try await site.run(
        """
        for name in one two; do
          createdb $name
          export AUTH_CLI_AUTHORITY="postgresql:///$name?user=postgres"
          \(password) auth-cli schema install --first-administrator alice --password-stdin
        done
        """)
      #expect(made.ending == .exited(0), "\(made.text)")
      let (one, two) = ("postgresql:///one?user=postgres", "postgresql:///two?user=postgres")
      let login = try await site.run("\(password) auth-cli login alice --password-stdin", authority: one)
      #expect(login.ending == .exited(0), "\(login.text)")
      for authority in [two, nil] {
        for command in ["status", "logout", "receipts"] {
          let outcome = try await site.run("auth-cli \(command)", authority: authority)
          #expect(outcome.ending == .exited(3), "\(command): \(outcome.text)")
          #expect(
            outcome.text.contains("belongs to the database")
              || outcome.text.contains("holds a session of the database"))
        }
      }
      for authority in [two, nil] {
        let register = authority == nil ? "\(password) auth-cli register alice --password-stdin\n" : ""
        let outcome = try await site.run(
          register + "\(password) auth-cli login alice --password-stdin", authority: authority)
        #expect(outcome.ending == .exited(3), "\(outcome.text)")
      }
      let still = try await site.run("auth-cli status && auth-cli logout", authority: one)
      #expect(still.ending == .exited(0), "\(still.text)")
      #expect(still.text.contains("Logged out alice."))
      let out = try await site.run("auth-cli status || auth-cli status --json || true", authority: one)
      #expect(
        out.text.contains("accounts on the server that AUTH_CLI_AUTHORITY names (it was not asked)"), "\(out.text)")
      #expect(out.text.contains(#""accounts_from":"AUTH_CLI_AUTHORITY""#), "\(out.text)")
    }

    @Test("what describes the program never hands over, and what needs the database says what is missing")
    func handOver() async throws {
      let site = try Site(isShipped: true)
      defer { site.close() }
      for command in ["help", "--version", "man", "completions bash", "machine", "status --help"] {
        let outcome = try await site.run("auth-cli \(command)", authority: "postgresql://nowhere.invalid/x")
        #expect(outcome.ending == .exited(0), "\(command): \(outcome.text)")
      }
      let alone = try await site.run(
        "mkdir \"$HOME/bin\"; cp \"$(command -v auth-cli)\" \"$HOME/bin\"; \"$HOME/bin/auth-cli\" status",
        authority: "postgresql:///x")
      #expect(alone.ending == .exited(3))
      #expect(alone.text.contains("auth-cli-postgres cannot be run"))
      let outdated = try await site.run(
        "AUTH_CLI_HANDED_OVER_BY=0.0.9 auth-cli-postgres status", authority: "postgresql:///x")
      #expect(outdated.ending == .exited(3))
      #expect(outdated.text.contains("auth-cli has version 0.0.9"))
      let newer = try await site.run(
        "AUTH_CLI_HANDED_OVER_BY=9.0.0 auth-cli-postgres status --of-the-future", authority: "postgresql:///x")
      #expect(newer.ending == .exited(3))
      #expect(newer.text.contains("auth-cli has version 9.0.0"))
      let wrong = try await site.run("auth-cli status --of-the-past", authority: "postgresql:///x")
      #expect(wrong.ending == .exited(2), "\(wrong.text)")
      let unset = try await site.run("auth-cli schema check")
      #expect(unset.ending == .exited(2))
      let unreachable = try await site.run("auth-cli status", authority: "host=/nonexistent dbname=x")
      // Without a session there is nothing to ask.
      #expect(unreachable.ending == .exited(1))
      let login = try await site.run(
        "echo 'paper lantern river orchard' | auth-cli login alice --password-stdin",
        authority: "host=/nonexistent dbname=x")
      #expect(login.ending == .exited(3), "\(login.text)")
    }

    @Test("a password file that others can read is warned of once for each host")
    func passwordFile() async throws {
      let home = NSTemporaryDirectory() + "passfile-\(UInt32.random(in: 0 ... .max))"
      let file = home + "/pgpass"
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: home) }
      try Data("*:*:*:*:word\n".utf8).write(to: URL(fileURLWithPath: file))
      let cases = [(0o644, "localhost", 1), (0o644, "localhost,127.0.0.1", 2), (0o600, "localhost", 0)]
      for (mode, hosts, warnings) in cases {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        let outcome = try await Program(
          "bash", ["-c", "echo 'paper lantern river orchard' | auth-cli login alice --password-stdin"],
          environment: [
            "PATH": LeastCost.folder + ":/usr/bin:/bin", "HOME": home, "PGPASSFILE": file, "LC_ALL": "C.UTF-8",
            "AUTH_CLI_AUTHORITY": "host=\(hosts) port=1 dbname=x user=y",
          ], timeLimit: .seconds(120)
        ).run()
        #expect(outcome.ending == .exited(3), "\(outcome.text)")
        #expect(outcome.text.components(separatedBy: "WARNING: ").count == warnings + 1, "\(outcome.text)")
      }
    }

    @Test("schema import brings the accounts of this machine, and says what it cannot bring")
    func importing() async throws {
      let site = try Site()
      defer { site.close() }
      let local = try await site.run(
        """
        echo 'paper lantern river orchard' | auth-cli register alice --password-stdin
        echo 'paper lantern river orchard' | auth-cli register bob --password-stdin
        echo 'paper lantern river orchard' | auth-cli login alice --password-stdin
        auth-cli pay 12.50 --to bob
        auth-cli logout
        \(try Self.articleBlocks()[2])
        """)
      #expect(local.ending == .exited(0), "\(local.text)")
      let imported = try await site.run(
        """
        \(try Self.articleBlocks()[3])
        auth-cli schema check
        export AUTH_CLI_AUTHORITY='postgresql:///accounts?user=postgres'
        echo 'paper lantern river orchard' | auth-cli login bob --password-stdin
        auth-cli receipts
        ! auth-cli schema import --from "$HOME/.local/share/auth-cli"
        ! auth-cli schema import --from /nonexistent
        """)
      #expect(imported.ending == .exited(0), "\(imported.text)")
      #expect(imported.text.contains("Imported 2 accounts, 3 payments and 4 events into the database accounts"))
      #expect(imported.text.contains("everybody logs in again, with the same password"))
      #expect(imported.text.contains("12.50"))
      #expect(imported.text.contains("has the schema already"))
    }

    @Test("the timeline that confirmed a change is kept for the next command, until the hint's command is pasted")
    func timelines() async throws {
      let database = try Databases.shared.make()
      let home = NSTemporaryDirectory() + "timelines-\(UInt32.random(in: 0 ... .max))"
      defer { try? FileManager.default.removeItem(atPath: home) }
      let directory = database.server.directory
      let outcome = try await Program(
        "bash",
        [
          "-euo", "pipefail", "-c",
          """
          mkdir -m 700 "$AUTH_CLI_HOME"
          register() { echo 'paper lantern river orchard' | auth-cli register "$1" --password-stdin; }
          register alice
          ! auth-cli status
          stat -c %a "$AUTH_CLI_HOME/server-timelines"
          sed -i 's/ 1$/ 9/' "$AUTH_CLI_HOME/server-timelines"
          ! register bob 2>"$AUTH_CLI_HOME.refusal"
          cat "$AUTH_CLI_HOME.refusal"
          eval "$(sed -n 's/.*forget the newer one: //p' "$AUTH_CLI_HOME.refusal")"
          rm "$AUTH_CLI_HOME.refusal"
          register bob
          """,
        ],
        environment: [
          "PATH": LeastCost.folder + ":/usr/local/bin:/usr/bin:/bin", "AUTH_CLI_HOME": home, "LC_ALL": "C.UTF-8",
          "AUTH_CLI_AUTHORITY": "host=\(directory),\(directory) user=person dbname=\(database.name)",
        ],
        timeLimit: .seconds(120)
      ).run()
      #expect(outcome.ending == .exited(0), "\(outcome.text)")
      #expect(outcome.text.contains("600"))
      #expect(outcome.text.contains("Registered bob"))
      #expect(
        outcome.text.contains(
          "timeline 1, and timeline 9 has confirmed changes (recorded in \(home)/server-timelines)"),
        "\(outcome.text)")
    }

    @Test("watch sees a logout elsewhere")
    func watch() async throws {
      let site = try Site()
      defer { site.close() }
      let outcome = try await site.run(
        """
        createdb accounts
        echo 'paper lantern river orchard' | auth-cli schema install --first-administrator alice --password-stdin
        echo 'paper lantern river orchard' | auth-cli login alice --password-stdin
        mkdir "$HOME/other"
        mkfifo "$HOME/lines"
        auth-cli watch --until logged-out >"$HOME/lines" &
        watch=$!
        exec 3<"$HOME/lines"
        read -r first <&3
        echo 'paper lantern river orchard' | HOME="$HOME/other" auth-cli login alice --password-stdin
        HOME="$HOME/other" auth-cli logout --all
        wait $watch
        cat <&3
        """, authority: "postgresql:///accounts?user=postgres")
      #expect(outcome.ending == .exited(0), "\(outcome.text)")
    }
  }
}
