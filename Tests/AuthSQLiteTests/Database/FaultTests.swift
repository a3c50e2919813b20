import AuthBackend
import AuthCore
import AuthSQLite
import Glibc
import Testing

@Suite struct FaultTests {
  /// A workspace with alice and bob in it, and alice logged in by an authority that is gone again.
  private func ready() throws -> (Workspace, Grant) {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
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

  @Test("a missing database is unavailable and is not made") func missing() async throws {
    let (work, grant) = try ready()
    work.run("rm -r '\(work.data)'")
    #expect(try await fault(work, grant).code == "database_missing")
    #expect(await resumption(work, grant) != nil)
    #expect(work.run("ls '\(work.path)'") == "")
  }

  @Test("a half-made database counts as missing, and registering finishes it") func unborn()
    async throws
  {
    let (work, grant) = try ready()
    work.run("rm '\(work.databasePath)'*; : > '\(work.databasePath)'; chmod 600 '\(work.databasePath)'")
    #expect(try await fault(work, grant).code == "database_missing")
    _ = try work.authority().register(username: "carol", password: bobPassword)
  }

  @Test("a database without a table is damaged, and what SQLite quotes of a file is escaped") func damagedSchema()
    throws
  {
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

  @Test(
    "a damaged database is unavailable and left as it is",
    arguments: ["head -c 8192 /dev/urandom >", "printf 'SQLite format 3' >", "echo garbage >"])
  func corrupt(command: String) async throws {
    let (work, grant) = try ready()
    work.run("\(command) '\(work.databasePath)'")
    let before = work.run("sha256sum '\(work.databasePath)'")
    #expect(try await fault(work, grant).code == "database_corrupt")
    guard case .unavailable? = await resumption(work, grant) else {
      Issue.record("resuming must be unavailable")
      return
    }
    #expect(code { try work.authority().register(username: "carol", password: bobPassword) } == "database_corrupt")
    #expect(work.run("sha256sum '\(work.databasePath)'") == before)
  }

  @Test("a truncated database is unavailable, and no registration begins anew in it", arguments: [1, 100, 511, 6000])
  func truncated(size: Int) async throws {
    let (work, grant) = try ready()
    work.run("truncate -s \(size) '\(work.databasePath)'")
    #expect(try await fault(work, grant).code == "database_corrupt")
    #expect(code { try work.authority().register(username: "carol", password: bobPassword) } == "database_corrupt")
  }

  @Test("the database of another program is left alone") func foreign() async throws {
    let (work, grant) = try ready()
    work.run("rm '\(work.databasePath)'*")
    work.raw.script("CREATE TABLE theirs(x); PRAGMA application_id = 7")
    work.run("chmod 600 '\(work.databasePath)'")
    #expect(try await fault(work, grant).code == "database_foreign")
  }

  @Test("a newer schema is named and left alone") func newer() async throws {
    let (work, grant) = try ready()
    work.raw.script("PRAGMA user_version = 99")
    let found = try await fault(work, grant)
    #expect(found.code == "database_newer" && found.description.contains("99"))
    #expect(work.raw.number("PRAGMA user_version") == 99)
  }

  @Test("a database that is locked past the wait is busy, and usable again afterwards") func locked() async throws {
    let (work, grant) = try ready()
    let other = work.raw
    other.script("BEGIN EXCLUSIVE")
    #expect(try await fault(work, grant).code == "database_busy")
    #expect(await resumption(work, grant) != nil)
    other.script("ROLLBACK")
    #expect(await resumption(work, grant) == nil)
  }

  @Test("reading goes on while another process has the write lock and has not begun to commit") func readersGoOn()
    async throws
  {
    let (work, grant) = try ready()
    let other = work.raw
    other.script("BEGIN IMMEDIATE")
    #expect(await resumption(work, grant) == nil)
  }

  @Test(
    "what is too open is refused with the command that closes it",
    arguments: [
      ("authority.db", "0666", "600"), ("authority.db", "0640", "600"),
    ])
  func wrongMode(file: String, mode: String, right: String) async throws {
    let (work, grant) = try ready()
    work.run("chmod \(mode) '\(work.data)/\(file)'")
    let found = try await fault(work, grant)
    #expect(
      found.code == "file_wrong_mode" && found.description.contains(mode)
        && found.asUnavailability.hint.hasPrefix("chmod \(right) "))
    work.run(found.asUnavailability.hint)
    #expect(await resumption(work, grant) == nil)
  }

  @Test("a directory that others may see is trusted for reading, and closed to them by the next write")
  func seenByOthers() async throws {
    let (work, grant) = try ready()
    work.run("chmod 755 '\(work.data)'")
    #expect(await resumption(work, grant) == nil)
    #expect(work.mode(work.data) == "755")
    let authority = work.authority()
    _ = try authority.rules.pay(try authority.order("1"), token: grant.token)
    #expect(work.mode(work.data) == "700")
  }

  @Test("a directory that others may write is refused for reading, with the command that closes it")
  func writtenByOthers() async throws {
    let (work, grant) = try ready()
    work.run("chmod 777 '\(work.data)'")
    guard case .unavailable(let cause) = await resumption(work, grant) else {
      Issue.record("what others may have written was trusted")
      return
    }
    #expect(cause.description.contains(work.data) && cause.hint.hasPrefix("chmod 700 "))
    work.run(cause.hint)
    #expect(await resumption(work, grant) == nil)
  }

  @Test(
    "a foreign owner is named with both user ids", .enabled(if: geteuid() == 0), arguments: ["authority.db", "."])
  func wrongOwner(file: String) async throws {
    let (work, grant) = try ready()
    work.run("chown 12345 '\(work.data)/\(file)'")
    let found = try await fault(work, grant)
    #expect(found.code == "file_wrong_owner")
    #expect(found.description.contains("user id 12345") && found.description.contains("user id 0"))
    if file == "." {
      // It is not this program's to change.
      #expect(found.asUnavailability.hint == "Choose a directory of your own that nothing else uses.")
      return
    }
    work.run(found.asUnavailability.hint.replacing("As root: ", with: ""))
    #expect(await resumption(work, grant) == nil)
  }

  @Test(
    "a symbolic link, a directory and a pipe are refused",
    arguments: [
      "mv $db $db.real; ln -s $db.real $db", "rm $db; mkdir $db", "rm $db; mkfifo $db",
      "mv $dir $dir.real; ln -s $dir.real $dir", "rm -r $dir; : > $dir",
    ]) func wrongType(command: String) async throws
  {
    let (work, grant) = try ready()
    work.run("db='\(work.databasePath)' dir='\(work.data)'; \(command)")
    #expect(try await fault(work, grant).code == "file_wrong_type")
  }

  @Test("side files are private whatever the umask", arguments: [mode_t(0), 0o777])
  func umasks(mask: mode_t) async throws {
    let work = Workspace()
    try await withUmask(mask) { _ = try? work.authority().registerBoth() }
    #expect(work.mode(work.data) == "700" && work.mode(work.databasePath) == "600")
    #expect(work.mode(work.databasePath + "-journal") == "600")
  }

  @Test("a file that was repaired or replaced meanwhile is used again by the same authority") func reopening()
    async throws
  {
    let (work, grant) = try ready()
    let authority = work.authority()
    _ = try await authority.resume(grant.token)
    work.run("mv '\(work.data)' '\(work.data).away'")
    await #expect(throws: AuthorityError<SessionRejection>.self) { try await authority.resume(grant.token) }
    work.run("cp -a '\(work.data).away' '\(work.data)'")
    #expect(try await authority.resume(grant.token) == grant)
  }

  @Test("a full disk is reported, and nothing changed", .enabled(if: SmallDisk.isPossible)) func fullDisk() async throws
  {
    let disk = try SmallDisk()
    let work = disk.work
    let authority = work.authority()
    try authority.registerBoth()
    let grant = try authority.logIn()
    let before = work.run("cat '\(work.databasePath)' | sha256sum")
    work.run(
      """
      cd '\(work.data)'; cat /dev/zero > filler 2>/dev/null; rm -f authority.db-journal; cat /dev/zero > filler2 2>/dev/null
      """)
    let found = try await fault(work, grant)
    #expect(found.code == "disk_full" && found.kind.cause == .unwritable)
    #expect(await resumption(work, grant) == nil)
    #expect(work.run("cat '\(work.databasePath)' | sha256sum") == before)
    work.run("rm '\(work.data)'/filler*")
    _ = try work.authority().rules.pay(authority.order("1"), token: grant.token)
  }

  @Test("a read-only disk permits reading and reports writing", .enabled(if: SmallDisk.isPossible)) func readOnly()
    async throws
  {
    let disk = try SmallDisk()
    let work = disk.work
    try work.authority().registerBoth()
    let grant = try work.authority().logIn()
    try #require(disk.remount("ro"))
    let found = try await fault(work, grant)
    #expect(found.code == "database_read_only" && found.kind.cause == .unwritable)
    #expect(await resumption(work, grant) == nil)
    try #require(disk.remount("rw"))
    try await work.authority().revoke(grant.token, reason: .userAsked)
    try #require(disk.remount("ro"))
    #expect(await resumption(work, grant) == .rejected(.ended(.userAsked)))
  }
}

extension BackendError.Kind {
  fileprivate var cause: Unavailability.Cause? {
    if case .unavailable(let unavailability) = self { unavailability.cause } else { nil }
  }
}
