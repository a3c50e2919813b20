import AuthAccounts
import AuthCore
import AuthCoreTesting
import AuthDevice
import Glibc
import Programs
import Services
import Testing

@Suite(.timeLimit(.minutes(240))) struct FileVaultTests {
  private let first = SessionToken(bytes: Array(0..<32))
  private let second = SessionToken(bytes: Array(100..<132))

  private func ready() async throws -> (Workspace, FileVault) {
    let work = Workspace()
    let vault = work.vault()
    try await vault.store(first)
    return (work, vault)
  }

  @Test("a token of any length is stored, such as that of an OAuth 2.0 server")
  func longTokens() async throws {
    let work = Workspace()
    let vault = work.vault()
    for count in [1, 31, 33, 48, 4096, 48_000] {
      let token = SessionToken(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
      try await vault.store(token)
      #expect(await work.vault().load() == .token(token))
      #expect(work.run("head -n 1 '\(vault.path)'") == "authlocal-session 6")
    }
    let last = await vault.load()
    await #expect(throws: VaultError.self) {
      try await vault.store(SessionToken(bytes: Array(repeating: 1, count: 70_000)))
    }
    #expect(await vault.load() == last)
    work.run("sed -i '2s/^00/01/' '\(vault.path)'")
    let evidence = try #require(await vault.load().evidence)
    #expect(evidence.description.contains("checksum"))
  }

  @Test("the longest session that AuthOAuth saves fits, with the longest access token and names")
  func longestSession() async throws {
    let work = Workspace()
    let name = String(repeating: "é", count: 512)
    let details = TokenDetails(
      session: SessionID(rawValue: String(repeating: "s", count: 43)),
      user: LastKnownUser(username: name, displayName: name),
      accessToken: AccessToken(String(repeating: "a", count: 12_288), deadline: .never))
    let token = SessionToken(bytes: Array(repeating: 1, count: 48_000))
    try await work.vault().store(token, details)
    #expect(await work.vault().load() == .token(token, details))
  }

  @Test("the user is stored with the token, in hexadecimal digits, without names that are too long")
  func users() async throws {
    let work = Workspace()
    let vault = work.vault()
    let user = LastKnownUser(username: "alice", displayName: "Alice \n\u{1B}[2J")
    try await vault.store(first, of: user)
    #expect(await work.vault().load() == .token(first, TokenDetails(user: user)))
    #expect(work.run("sed -n 3p '\(vault.path)'").contains("416c696365200a1b5b324a"))
    #expect(work.run("wc -l < '\(vault.path)'") == "5")
    let long = LastKnownUser(username: "alice", displayName: String(repeating: "a", count: 40_000))
    try await vault.store(SessionToken(bytes: Array(repeating: 1, count: 30_000)), of: long)
    #expect(await vault.load() == .token(SessionToken(bytes: Array(repeating: 1, count: 30_000))))
  }

  @Test("a session of another issuer is neither read nor changed, and no message has bytes of its token")
  func issuers() async throws {
    let work = Workspace()
    let token = SessionToken(bytes: Array(repeating: 0xab, count: 48))
    let all: [TokenIssuer] = [.app, .embedded, .server, TokenIssuer(rawValue: "https://id.example\n")]
    for own in all {
      try await FileVault(directory: work.state, issuer: own).store(token)
      for other in all where other != own {
        let vault = FileVault(directory: work.state, issuer: other)
        guard case .unavailable(let error) = await vault.load() else {
          Issue.record("\(other) read a session of \(own)")
          continue
        }
        #expect(!"\(error.description) \(error.hint)".contains("abab"))
        await #expect(throws: VaultError.self) { try await vault.store(first) }
      }
      let vault = FileVault(directory: work.state, issuer: own)
      #expect(await vault.load() == .token(token))
      try await vault.erase(token)
    }
  }

  @Test("a file of an earlier form is not read: it is set aside, and its token goes to nobody", arguments: 1...5)
  func earlierForms(version: Int) async throws {
    let (work, vault) = try await ready()
    work.run("sed -i '1s/6$/\(version)/' '\(vault.path)'")
    let evidence = try #require(await vault.load().evidence)
    #expect(evidence.description.contains("version \(version)") && evidence.hint.hasPrefix("Log in again"))
    #expect(evidence.salvaged == nil)
    #expect(try await vault.setAside() != nil)
  }

  @Test("the token of a damaged file goes to no other issuer than the file names") func salvage() async throws {
    let work = Workspace()
    try await FileVault(directory: work.state, issuer: .server).store(SessionToken(bytes: Array(0..<48)))
    for change in ["sed -i '5s/^./x/'", "chmod 644"] {
      work.run("\(change) '\(work.vault().path)'")
      for issuer in [TokenIssuer.embedded, .app, .anyProvider] {
        let evidence = try #require(await FileVault(directory: work.state, issuer: issuer).load().evidence)
        #expect(evidence.salvaged == nil, "\(change): given to \(issuer)")
      }
      #expect(await FileVault(directory: work.state, issuer: .server).load().evidence?.salvaged != nil)
    }
  }

  @Test("a session of another database of the same kind is not replaced", arguments: [TokenIssuer.server, .embedded])
  func databases(issuer: TokenIssuer) async throws {
    let work = Workspace()
    let vault = FileVault(directory: work.state, issuer: issuer)
    let token = SessionToken(bytes: Array(0..<48))
    try await vault.store(token)
    let error = await #expect(throws: VaultError.self) { try await vault.store(SessionToken(bytes: Array(1..<49))) }
    #expect(error?.description.contains("0001") == false)
    #expect(await vault.load() == .token(token))
  }

  @Test(
    "an unusable file is corrupt, with its path and the reason, and storing sets it aside",
    arguments: [
      ("truncate -s 20 FILE", "incomplete", false), ("head -c 500 /dev/urandom > FILE", "not a session file", false),
      (": > FILE", "empty", false), ("sed -i '1s/6$/7/' FILE", "version 7", false),
      ("sed -i '1s/6$/x/' FILE", "version cannot be read", false),
      ("sed -i '3s/$/00/' FILE", "checksum", true), ("sed -i '5s/^./x/' FILE", "checksum", true),
      ("sed -i '$d' FILE", "incomplete", true),
      ("echo more >> FILE", "incomplete", true),
      ("sed -i '2s/^00/01/' FILE", "checksum", true), ("chmod 666 FILE", "0666", true),
      ("chmod 640 FILE", "0640", true),
      ("mv FILE REAL; ln -s REAL FILE", "symbolic link", false), ("rm FILE; mkdir FILE", "a directory", false),
      ("rm FILE; mkfifo FILE", "named pipe", false),
    ] + (geteuid() == 0 ? [("chown 12345 FILE", "12345", true)] : []) as [(String, String, Bool)])
  func corrupt(command: String, reason: String, isSalvaged: Bool) async throws {
    let (work, vault) = try await ready()
    work.run(command.replacing("FILE", with: "'\(vault.path)'").replacing("REAL", with: "'\(work.state)/real'"))
    let evidence = try #require(await vault.load().evidence)
    #expect(evidence.description.contains(vault.path) && evidence.description.contains(reason))
    #expect((evidence.salvaged != nil) == isSalvaged && !evidence.hint.isEmpty)
    try await vault.store(second)
    #expect(await vault.load() == .token(second))
  }

  @Test("the newest eight pieces of evidence are kept, whatever else is there") func evidenceIsBounded() async throws {
    let (work, vault) = try await ready()
    let directory = String(vault.path.dropLast("/default.session".count))
    for number in 1...10 {
      work.run("echo evidence \(number) > '\(vault.path)'")
      #expect(try await vault.setAside() == "\(vault.path).corrupt-\(number)")
    }
    #expect(work.run("cd '\(directory)'; ls -v | grep corrupt | sed 's/.*-//' | xargs") == "3 4 5 6 7 8 9 10")
    #expect(work.run("cat '\(vault.path).corrupt-9'; stat -c %a '\(vault.path).corrupt-9'") == "evidence 9\n600")
    // An empty directory is deleted like a file, one with something in it stays, and another
    // context's evidence is not counted.
    work.run(
      "cd '\(directory)'; rm *.corrupt-3 *.corrupt-4; mkdir default.session.corrupt-3 default.session.corrupt-4; touch default.session.corrupt-4/kept other.session.corrupt-1"
    )
    for number in 11...12 {
      work.run("echo evidence \(number) > '\(vault.path)'")
      #expect(try await vault.setAside() == "\(vault.path).corrupt-\(number)")
    }
    #expect(work.run("cd '\(directory)'; ls -vd *.corrupt-* | sed 's/.*-//' | xargs") == "4 5 6 7 8 9 10 11 12 1")
  }

  @Test("the root and the working directory can hold session files") func shortPaths() {
    for (name, path) in [("/", "/default.session"), ("/.", "/default.session"), ("./", "./default.session")] {
      #expect(FileVault(directory: name).path == path)
    }
  }

  @Test("the hint for a name that is too long is to shorten it") func longName() async throws {
    let work = Workspace()
    let vault = FileVault(directory: work.path + "/" + String(repeating: "x", count: 256))
    let failure = await #expect(throws: VaultError.self) { try await vault.erase(first) }
    #expect(failure?.hint == "Choose a shorter path; nothing was changed.")
  }

  @Test("a write waits for another process's lock, within bounds") func locked() async throws {
    let (work, vault) = try await ready()
    let descriptor = open(work.state + "/default.lock", O_RDWR | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    await #expect(throws: VaultError.self) { try await work.vault(lockWait: .milliseconds(30)).store(second) }
    #expect(await vault.load() == .token(first))
    close(descriptor)
    try await vault.store(second)
  }

  @Test(
    "without room for its result no exchange begins, and one that began is saved on a full disk",
    .enabled("needs root, to mount a small disk") { SmallDisk.isPossible })
  func fullDisk() async throws {
    let folder = ShortFolder()
    let disk = try SmallDisk(at: folder.path + "/disk")
    let vault = FileVault(directory: folder.path + "/disk")
    try await vault.store(first)
    guard case .acquired(let early) = try await vault.lockExchange(of: first, wait: .zero) else {
      throw UnexpectedAnswer()
    }
    try vault.requireRoom()
    disk.fill()
    #expect(throws: VaultError.self) { try vault.requireRoom() }
    await #expect(throws: VaultError.self) { try await early.begin() }
    _ = try await early.release(.unsent)
    #expect(await vault.load() == .token(first))
    disk.free()
    guard case .acquired(let lock) = try await vault.lockExchange(of: first, wait: .zero) else {
      throw UnexpectedAnswer()
    }
    _ = try await lock.begin()
    disk.fill()
    #expect(try await lock.release(.replaced(by: second, TokenDetails())))
    #expect(await vault.load() == .token(second))
  }

  @Test("a released lock is free at once, though a program that just starts still has its descriptor")
  func released() async throws {
    let (work, vault) = try await ready()
    defer { withExtendedLifetime(work) {} }
    guard case .acquired(let lock) = try await vault.lockExchange(of: first, wait: .zero) else {
      throw UnexpectedAnswer()
    }
    let copy = dup(try #require(try await lock.begin()).lock)
    defer { close(copy) }
    _ = try await lock.release(.unknown(Unavailability(.unreachable, "no answer")))
    guard case .acquired = try await vault.lockExchange(of: first, wait: .zero) else { throw UnexpectedAnswer() }
  }

  @Test(
    "after an authority that is busy or asks to wait, every process waits, and a logout does not",
    arguments: [(Duration.seconds(60), Duration.seconds(60)), (nil, Duration.seconds(2))])
  func pause(retryAfter: Duration?, pause: Duration) async throws {
    let (work, clock) = (Workspace(), ManualClock())
    func vault() -> FileVault { FileVault(directory: work.state, clock: clock) }
    try await vault().store(first)
    guard case .acquired(let lock) = try await vault().lockExchange(of: first, wait: .seconds(5)) else {
      throw UnexpectedAnswer()
    }
    _ = try await lock.begin()
    let cause = Unavailability(.busy, "busy", isUnsent: retryAfter != nil, retryAfter: retryAfter)
    _ = try await lock.release(.unknown(cause))
    clock.advance(by: pause - .seconds(1))
    for _ in 1...2 {
      guard case .failed(let told) = try await vault().lockExchange(of: first, wait: .seconds(5)) else {
        throw UnexpectedAnswer()
      }
      #expect(told.cause == .busy && told.retryAfter == retryAfter.map { _ in .seconds(1) })
      guard case .acquired(let logout) = try await vault().lockExchange(of: first, wait: .zero) else {
        throw UnexpectedAnswer()
      }
      #expect((logout.interrupted == nil) == (retryAfter != nil))
      _ = try await logout.release(.unsent)
    }
    clock.advance(by: .seconds(1))
    guard case .acquired = try await vault().lockExchange(of: first, wait: .seconds(5)) else {
      throw UnexpectedAnswer()
    }
  }

  @Test("an exchange whose process has died is interrupted, also while its request is still under way")
  func requestOfTheDead() async throws {
    let (work, vault) = try await ready()
    guard case .acquired(let lock) = try await vault.lockExchange(of: first, wait: .zero) else {
      throw UnexpectedAnswer()
    }
    let request = dup(try #require(try await lock.begin()).lock)
    #expect(await !vault.isInterrupted(first))
    // The process of this shell has ended.
    work.run("echo $$ | dd of='\(work.state)/default.exchange' bs=1 seek=512 conv=notrunc 2>/dev/null")
    #expect(await vault.isInterrupted(first))
    guard case .busy = try await vault.lockExchange(of: first, wait: .zero) else { throw UnexpectedAnswer() }
    _ = try await lock.release(.unsent)
    close(request)
  }

  @Test("an exchange without a holder is interrupted, even if another process has the id of the former holder")
  func reusedID() async throws {
    let (work, vault) = try await ready()
    func begin() async throws {
      guard case .acquired(let lock) = try await vault.lockExchange(of: first, wait: .zero) else {
        throw UnexpectedAnswer()
      }
      _ = try await lock.begin()
    }
    try await begin()
    for id in [getpid(), 1] {
      work.run("echo \(id) | dd of='\(work.state)/default.exchange' bs=1 seek=512 conv=notrunc 2>/dev/null")
      #expect(await vault.isInterrupted(first))
    }
  }

  @Test("a login over a session deletes the answer that an interrupted exchange of that session recorded")
  func answerOfTheReplaced() async throws {
    let (work, vault) = try await ready()
    do {
      guard case .acquired(let lock) = try await vault.lockExchange(of: first, wait: .zero) else {
        throw UnexpectedAnswer()
      }
      _ = try await lock.begin()
    }
    work.run("echo secret > '\(work.state)/default.answer'")
    guard case .acquired(let lock) = try await vault.lockExchange(of: first, wait: .zero) else {
      throw UnexpectedAnswer()
    }
    #expect(lock.interrupted?.answer == Array("secret\n".utf8))
    try await vault.store(second)
    _ = try await lock.release(.unsent)
    #expect(work.run("ls '\(work.state)'") == "default.exchange\ndefault.lock\ndefault.session")
  }

  @Test("taking a lock does not change its file") func quietLock() async throws {
    let (work, vault) = try await ready()
    let changes = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    defer { close(changes) }
    #expect(inotify_add_watch(changes, work.state + "/default.lock", UInt32(IN_ATTRIB)) >= 0)
    try await vault.store(second)
    var event = [UInt8](repeating: 0, count: 4096)
    #expect(read(changes, &event, event.count) < 0 && errno == EAGAIN)
  }

  @Test("the temporary file of a killed writer is replaced") func leftovers() async throws {
    let (work, vault) = try await ready()
    work.run("cd '\(work.state)' && mkdir x && ln -s /nonexistent .default.session.new")
    try await vault.store(second)
    #expect(await vault.load() == .token(second))
    #expect(work.run("ls -A '\(work.state)'") == "default.lock\ndefault.session\nx")
  }

}

extension VaultReading {
  /// The evidence of unusable content.
  fileprivate var evidence: VaultEvidence? {
    if case .corrupt(let evidence) = self { evidence } else { nil }
  }
}
