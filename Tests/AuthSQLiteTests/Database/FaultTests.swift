import AuthBackend
import AuthCore
import AuthSQLite
import Glibc
import Races
import Services
import Testing

@Suite struct FaultTests {
  /// A workspace with alice and bob in it, and alice logged in by an authority that is gone again.
  private func ready() throws -> (Workspace, Grant) {
    let (work, authority) = try Workspace.inhabited()
    return (work, try authority.logIn())
  }

  /// What resuming, paying, logging in and logging out say, which must be one and the same fault.
  private func fault(_ work: Workspace, _ grant: Grant, busyWait: Duration = .milliseconds(50)) async throws
    -> BackendError
  {
    let authority = work.authority(busyWait: busyWait)
    let order = try authority.order("1")
    let paying = try #require(failure { try authority.rules.pay(order, token: grant.token) })
    guard case .unavailable(let unavailability) = paying.kind else {
      Issue.record("\(paying) is not unavailable")
      return paying
    }
    #expect(failure { try authority.logIn() } == paying)
    await #expect(throws: unavailability) { try await authority.revoke(grant.token, reason: .userAsked) }
    #expect(unavailability.description.contains(work.data) && !unavailability.hint.isEmpty)
    return paying
  }

  private func resumption(_ work: Workspace, _ grant: Grant) async -> AuthorityError<SessionRejection>? {
    do {
      _ = try await work.authority(busyWait: .milliseconds(50)).resume(grant.token)
      return nil
    } catch {
      return error
    }
  }

  /// What happens to the file `$db` in the directory `$dir`, the code of the fault, and what its
  /// message says.
  static let faults: [(command: String, code: String, words: String)] =
    [
      ("rm -r $dir", "database_missing", "does not exist"),
      ("printf 'SQLite format 3' > $db", "database_corrupt", "authority.db"),
      ("truncate -s 1 $db", "database_corrupt", "authority.db"),
      ("truncate -s 511 $db", "database_corrupt", "authority.db"),
      ("chmod 666 $db", "file_wrong_mode", "0666"), ("rm $db; mkfifo $db", "file_wrong_type", "named pipe"),
      ("mv $dir $dir.real; ln -s $dir.real $dir", "file_wrong_type", "symbolic link"),
      ("rm -r $dir; : > $dir", "file_wrong_type", "file"),
    ] + (geteuid() == 0 ? [("chown 12345 $dir", "file_wrong_owner", "user id 0")] : [])

  @Test("what is wrong with the files is said by each operation, changed by none, and what the hint says helps")
  func files() async throws {
    for (command, code, words) in Self.faults {
      let (work, grant) = try ready()
      work.run("db='\(work.databasePath)' dir='\(work.data)'; \(command)")
      func listing() -> String {
        work.run(
          """
          cd '\(work.path)'
          find . ! -name '*-journal' -printf '%p %m %U %y\\n' | sort
          find . -type f ! -name '*-journal' | sort | xargs sha256sum
          """)
      }
      let before = listing()
      let found = try await fault(work, grant)
      #expect(found.code == code && found.description.contains(words), "\(command): \(found)")
      guard case .unavailable? = await resumption(work, grant) else {
        Issue.record("\(command): resuming must be unavailable")
        continue
      }
      #expect(listing() == before, "\(command)")
      // Registering begins anew only where there is nothing.
      let registering = failure { try work.authority().register(username: "carol", password: bobPassword) }
      #expect(registering?.code == (code == "database_missing" ? nil : code), "\(command)")
      let hint = found.asUnavailability.hint.replacing("As root: ", with: "")
      if hint.hasPrefix("ch") {
        #expect(hint.hasPrefix("chmod 600 ") || hint.hasPrefix("chown "))
        work.run(hint)
        #expect(await resumption(work, grant) == nil, "\(hint)")
      }
    }
  }

  @Test("a database that is moved away while it is opened is missing, whichever call of SQLite notices")
  func moved() throws {
    let (work, grant) = try ready()
    let codes = TwoThreads.answers { side in
      (0..<(side == 0 ? 20_000 : 600)).reduce(into: Set<String>()) { codes, _ in
        if side == 0 {
          rename(work.databasePath, work.databasePath + ".away")
          rename(work.databasePath + ".away", work.databasePath)
        } else if let code = code({ try work.authority().rules.receipts(token: grant.token) }) {
          codes.insert(code)
        }
      }
    }
    #expect(codes[1] == ["database_missing"])
  }

  @Test("a database without a table is damaged, and what SQLite quotes of a file is escaped")
  func damagedSchema() throws {
    let (work, grant) = try ready()
    func refusal() throws -> BackendError {
      try #require(failure { try work.authority().rules.receipts(token: grant.token) })
    }
    work.raw.script("PRAGMA foreign_keys = OFF; DROP TABLE entries")
    #expect(try refusal().code == "database_corrupt")
    #expect(try refusal().description.hasSuffix("no such table: entries."))
    work.raw.script(
      """
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES ('table', char(27) || '[2J', 'x', 0, 'CREATE NOTHING')
      """)
    #expect(try refusal().code == "database_corrupt")
    #expect(try refusal().description.contains("\\u{1B}[2J"))
  }

  @Test("a database that is locked past the wait is busy, and read meanwhile unless a commit has begun")
  func locked() async throws {
    let (work, grant) = try ready()
    let other = work.raw
    for (lock, isReadable) in [("IMMEDIATE", true), ("EXCLUSIVE", false)] {
      other.script("BEGIN \(lock)")
      #expect(try await fault(work, grant).code == "database_busy")
      #expect((await resumption(work, grant) == nil) == isReadable)
      other.script("ROLLBACK")
      #expect(await resumption(work, grant) == nil)
    }
  }

  @Test("side files are private whatever the umask", arguments: [mode_t(0), 0o777])
  func umasks(mask: mode_t) async throws {
    let work = Workspace()
    try await withUmask(mask) { _ = try? work.authority().registerBoth() }
    #expect(work.mode(work.data) == "700" && work.mode(work.databasePath) == "600")
    #expect(work.mode(work.databasePath + "-journal") == "600")
  }

  @Test("a file that was repaired or replaced meanwhile is used again by the same authority")
  func reopening() async throws {
    let (work, grant) = try ready()
    let authority = work.authority()
    _ = try await authority.resume(grant.token)
    work.run("mv '\(work.data)' '\(work.data).away'")
    await #expect(throws: AuthorityError<SessionRejection>.self) { try await authority.resume(grant.token) }
    work.run("cp -a '\(work.data).away' '\(work.data)'")
    #expect(try await authority.resume(grant.token) == grant)
  }
}
