import AuthAccounts
import AuthCore
import AuthCoreTesting
import AuthRules
import AuthSQLite
import Services
import Testing

@testable import AuthDevice

/// Which files count as the program's own in a directory to which others have access.
///
/// The transcript `fault-directory.t` shows what each command does there.
@Suite(.timeLimit(.minutes(10))) struct SharedDirectoryTests {
  /// Accounts and a session of a context in one directory, as a program keeps them whose two
  /// directories are the same.
  private func inhabited(_ context: ContextName = .standard) async throws -> (Workspace, Grant, FileVault) {
    let (work, authority) = try Workspace.inhabited()
    let grant = try authority.logIn()
    let vault = FileVault(directory: work.data, context: context)
    try await vault.store(grant.token)
    return (work, grant, vault)
  }

  /// A schema with a step that fails.
  private static let failing = Schema.current.adding("CREATE TABLE accounts(x)", oldest: 1)

  @Test("every name that is given here counts as the program's own, and no other does") func names() {
    for name in [
      "authority.db", "authority.db-wal", "authority.db.backup-v1", "authority.db.backup-v12.new",
      "authority.db.backup-v1.new-journal", "work.session", ".work.session.new", "work.lock", "work.session.corrupt-1",
      "a.session.session.corrupt-20", "a.corrupt-1.session", "a.lock.lock", "work.provider", ".work.provider.new",
    ] { #expect(OwnFileName.isOwn(name), "\(name)") }
    for name in [
      "notes", ".hidden", "authority.db.old", "authority.db.backup-v", "authority.db.backup-vx", "authority.dbx",
      ".session", ".lock", "-x.lock", "a b.session", ".work.session", "work.session.new", "work.session.corrupt-",
      "work.session.corrupt-1x", "corrupt-1", ".provider", "caf\u{E9}.lock", "\u{202E}evil",
    ] { #expect(!OwnFileName.isOwn(name), "\(name)") }
  }

  @Test("files of contexts, evidence and a migration do not keep a directory from being closed")
  func everythingMade() async throws {
    let (work, grant, vault) = try await inhabited(try #require(ContextName("a.session")))
    work.run("echo x > '\(vault.path)'")
    _ = try await vault.setAside()
    try await vault.store(grant.token)
    // The migration fails, after it has made its backup.
    _ = failure { try work.authority(schema: Self.failing).logIn() }
    #expect(work.run("ls '\(work.data)'").contains("authority.db.backup-v1"))
    work.run("chmod 755 '\(work.data)'")
    _ = try work.authority().logIn()
    #expect(work.mode(work.data) == "700")
    work.run("chmod 755 '\(work.data)'")
    try await vault.store(grant.token)
    #expect(work.mode(work.data) == "700")
  }

  @Test("a reader does not upgrade the schema in a directory that it must not close") func reader() async throws {
    let (work, grant, _) = try await inhabited()
    work.run("touch '\(work.data)/notes'; chmod 755 '\(work.data)'")
    func listing() -> String { work.run("cd '\(work.path)' && find . -printf '%m %y %p %s\n' | sort") }
    let before = listing()
    await #expect(throws: AuthorityError<SessionRejection>.self) {
      try await work.authority(schema: Self.failing).resume(grant.token)
    }
    #expect(listing() == before)
  }

  @Test("preparing to watch does not change an existing directory") func prepared() throws {
    let work = Workspace()
    work.run("mkdir -m 755 '\(work.state)'")
    try work.vault().prepare()
    #expect(work.mode(work.state) == "755")
  }
}
