import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Services
import Testing
import TextFormat

/// What becomes of a directory that lets others in when something is to be written to it.
@Suite struct SharedDirectoryTests {
  private let token = SessionToken(bytes: Array(0..<32))

  /// Everything below the directory of a test: modes, names, sizes.
  private func listing(_ work: Workspace) -> String {
    work.run("cd '\(work.path)' && find . -printf '%m %y %p %s\n' | sort")
  }

  /// Accounts and a session of `context` in one directory, as a program keeps them whose two
  /// directories are the same.
  private func inhabited(_ context: ContextName = .standard) async throws -> (Workspace, Grant, FileVault) {
    let (work, authority) = try Workspace.inhabited()
    let grant = try authority.logIn()
    let vault = FileVault(directory: work.data, context: context)
    try await vault.store(grant.token)
    return (work, grant, vault)
  }

  private func pay(_ work: Workspace, _ token: SessionToken) throws -> BackendError? {
    let authority = work.authority()
    let order = try authority.order("1")
    return failure { try authority.rules.pay(order, token: token) }
  }

  @Test(
    "what only finds that there are no accounts changes nothing",
    arguments: ["mkdir -m 755 data", "mkdir -m 777 data; touch data/other", "mkdir -m 1777 data; touch data/other"])
  func noAccounts(command: String) throws {
    let work = Workspace()
    work.run("cd '\(work.path)'; \(command)")
    let before = listing(work)
    #expect(code { try work.authority().logIn() } == "database_missing")
    let payment = try pay(work, token)
    #expect(payment?.code == "database_missing")
    #expect(listing(work) == before)
  }

  @Test("one that is empty is closed", arguments: ["755", "777", "2775"]) func empty(mode: String) async throws {
    let work = Workspace()
    work.run("mkdir -m \(mode) '\(work.data)' '\(work.state)'")
    try work.authority().registerBoth()
    try await work.vault().store(token)
    #expect(work.mode(work.data) == "700" && work.mode(work.state) == "700")
  }

  @Test(
    "one that holds only what is made here is closed",
    arguments: [
      "authority.db-wal", "authority.db.backup-v1", "authority.db.backup-v12.new", "authority.db.backup-v1.new-journal",
      "work.session", ".work.session.new", "work.lock", "work.session.corrupt-1", "a.session.session.corrupt-20",
      "a.corrupt-1.session", "a.lock.lock",
    ])
  func ownFiles(name: String) async throws {
    let (work, grant, vault) = try await inhabited()
    let file = "\(work.data)/\(name)"
    work.run("test -e '\(file)' || install -m 600 /dev/null '\(file)'; chmod 755 '\(work.data)'")
    #expect(try pay(work, grant.token) == nil)
    #expect(work.mode(work.data) == "700")
    work.run("chmod 755 '\(work.data)'")
    try await vault.store(token)
    #expect(work.mode(work.data) == "700")
  }

  @Test("files of contexts, evidence and a migration count as the program's own") func everythingMade() async throws {
    let (work, grant, vault) = try await inhabited(try #require(ContextName("a.session")))
    work.run("echo x > '\(vault.path)'")
    _ = try await vault.setAside()
    try await vault.store(grant.token)
    work.raw.script("PRAGMA user_version = 1")
    // The migration fails on what is there already, after it has made its backup.
    _ = failure { try work.authority().logIn() }
    #expect(work.run("ls '\(work.data)'").contains("authority.db.backup-v1"))
    work.raw.script("PRAGMA user_version = \(Schema.version)")
    work.run("chmod 755 '\(work.data)'")
    #expect(try pay(work, grant.token) == nil)
    #expect(work.mode(work.data) == "700")
  }

  @Test(
    "one that holds anything else is refused and left as it is, until it is closed by hand",
    arguments: [
      "notes", ".hidden", "authority.db.old", "authority.db.backup-v", "authority.db.backup-vx", "authority.dbx",
      ".session", ".lock", "-x.lock", "a b.session", ".work.session", "work.session.new", "work.session.corrupt-",
      "work.session.corrupt-1x", "corrupt-1", "caf\u{E9}.lock", "\u{202E}evil",
    ])
  func strangers(name: String) async throws {
    let (work, grant, vault) = try await inhabited()
    work.run("touch '\(work.data)/\(name)'; chmod 755 '\(work.data)'")
    let before = listing(work)
    let found = try #require(try pay(work, grant.token))
    #expect(found.code == "file_wrong_mode")
    #expect(
      found.description.hasPrefix("\(work.data) has mode 0755, which lets others in, and holds other files, such as '"))
    #expect(
      found.description.contains("'\(name.escaped)'")
        && found.asUnavailability.hint == "Choose a directory of your own that nothing else uses.")
    let registering = failure { try work.authority().register(username: "carol", password: bobPassword) }
    #expect(registering == found)
    await #expect(throws: VaultError(found.description, hint: found.asUnavailability.hint)) {
      try await vault.store(token)
    }
    await #expect(throws: VaultError.self) { try await vault.erase(grant.token) }
    #expect(listing(work) == before)
    // Reading goes on.
    #expect(try await work.authority().resume(grant.token) == grant)
    #expect(await vault.load() == .token(grant.token))
    work.run("chmod 700 '\(work.data)'")
    #expect(try pay(work, grant.token) == nil)
    try await vault.store(token)
  }

  @Test("one that is shared by many is refused even if it is empty") func sticky() async throws {
    let work = Workspace()
    work.run("mkdir -m 1777 '\(work.data)' '\(work.state)'")
    let before = listing(work)
    let found = failure { try work.authority().register(username: "alice", password: alicePassword) }
    #expect(found?.code == "file_wrong_mode" && found?.description.contains("1777") == true)
    await #expect(throws: VaultError.self) { try await work.vault().store(token) }
    #expect(listing(work) == before)
  }

  @Test("a reader does not upgrade the schema in a directory that it must not close") func reader() async throws {
    let (work, grant, _) = try await inhabited()
    work.raw.script("PRAGMA user_version = 1")
    work.run("touch '\(work.data)/notes'; chmod 755 '\(work.data)'")
    let before = listing(work)
    await #expect(throws: AuthorityError<SessionRejection>.self) { try await work.authority().resume(grant.token) }
    #expect(listing(work) == before)
  }

  @Test("preparing to watch leaves a directory as it is") func prepared() throws {
    let work = Workspace()
    work.run("mkdir -m 755 '\(work.state)'")
    try work.vault().prepare()
    #expect(work.mode(work.state) == "755")
  }
}
