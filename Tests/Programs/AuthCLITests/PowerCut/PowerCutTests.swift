import Foundation
import Programs
import Testing

/// What is left after a power cut, between any two calls of a command.
///
/// Its calls are recorded with strace(1), and the directories that a power cut may leave are built
/// from them, with the loss of anything that is not durable; see ``Disk``. In `make test-all` more
/// of them are looked at.
@Suite("Power cuts", .enabled(if: Strace.isHere, Strace.advice), .timeLimit(.minutes(20)))
struct PowerCutTests {
  private static let cases =
    CrashCase.all + [
      CrashCase(start: .loggedIn, line: "accounts disable bob"),
      CrashCase(start: .closed, line: "accounts registration open"),
      CrashCase(start: .loggedIn, line: "login bob --context phone --password-stdin", input: CommandHome.bob),
    ]

  private func record(_ command: CrashCase, made: Bool = false) async throws -> (CommandHome, Recording) {
    let home = try await CrashStart.home(command.start)
    let recording = try await Recording(below: String(home.file("").dropLast()), made: made ? [home.data] : []) {
      let words = $0(home.words(command.line))
      let outcome = try await Program(
        words[0], Array(words.dropFirst()), environment: home.environment, input: Array(command.input.utf8),
        timeLimit: .seconds(600)
      ).run()
      try #require(outcome.ending == .exited(0), "\(outcome.text)")
    }
    return (home, recording)
  }

  /// What is wrong with what `status` says of a directory.
  private func look(_ root: String, as home: CommandHome, _ statuses: Set<Int32>) async throws -> String? {
    let environment = home.environment.merging(["HOME": root, "AUTH_CLI_HOME": root + "/home"]) { $1 }
    let outcome = try await Program(
      home.executable, ["status"], environment: environment, timeLimit: .seconds(600)
    ).run()
    return statuses.contains { outcome.ending == .exited($0) } ? nil : "status \(outcome.ending): \(outcome.text)"
  }

  @Test(
    "nothing that a command has done is lost in a power cut after it, and nothing is torn by one before",
    arguments: Effort.sample(cases, 5))
  func keeps(_ command: CrashCase) async throws {
    let (home, recording) = try await record(command)
    let cuts = recording.cuts(Effort.isComplete ? 12 : 3, seed: UInt64(command.line.utf8.count))
    let faults = try await recording.faults(of: cuts) {
      place, _ in try await look(place, as: home, command.statusAfter.union([command.statusFinally]))
    }
    #expect(faults == [])
  }

  @Test("a home that somebody else made and did not synchronise is not lost with the first account")
  func foreignHome() async throws {
    let (_, recording) = try await record(CrashCase.all[0], made: true)
    #expect(try await recording.faults(of: recording.cuts(4, seed: 1)) == [])
  }

  @Test("a database that was restored as the article says is still there after a power cut")
  func restore() async throws {
    let (old, backup) = (try await CrashStart.home(.loggedOut), try await CrashStart.home(.bobHasNothing))
    let article = try TextFile.read(
      BuiltExecutable.repository + "/Sources/Programs/AuthCLIProgram/AuthCLIProgram.docc/RunningService.md")
    let block = try #require(
      article.firstMatch(of: /(rm -f [^\n]*authority\.db-journal.*?)runuser/.dotMatchesNewlines()))
    let script = String(block.output.1).replacing("/var/lib/auth-service", with: old.data)
      .replacing("/var/backups/auth-service.db", with: backup.database).replacing("chown auth-cli:", with: "chown :")
    try #require(script.contains("cp \(backup.database) \(old.database)"))
    let recording = try await Recording(below: String(old.file("").dropLast())) {
      let words = $0(["sh", "-ec", script])
      let outcome = try await Program(words[0], Array(words.dropFirst()), timeLimit: .seconds(600)).run()
      try #require(outcome.ending == .exited(0), "\(outcome.text)")
    }
    #expect(try await recording.faults(of: recording.cuts(0, seed: 1)) == [])
    #expect(try await recording.faults(of: recording.cuts(0, seed: 1), ignoring: "authority.db") != [], "a control")
  }

  /// A service in which alice and bob have accounts, and what they and an operator do with it.
  private func recordService() async throws -> (service: Recording, backup: Recording) {
    let (place, copies) = (ShortFolder.quick, ShortFolder.quick)
    let tools = [BuiltExecutable.cheap, BuiltExecutable.service].map { ($0 as NSString).deletingLastPathComponent }
    func bash(_ script: String, _ words: [String] = []) async throws {
      let environment = [
        "PATH": (tools + ["/usr/bin", "/bin"]).joined(separator: ":"), "PLACE": place.path, "COPIES": copies.path,
        "AUTH_CLI_AUTHORITY": "unix:\(place.path)/people.sock", "AUTH_CLI_HOME": place.path + "/client",
        "AUTH_SERVICE_OPERATORS": place.path + "/operators.sock", "ALICE": CommandHome.alice,
      ]
      let outcome = try await Program(
        "bash", ["-euc", script, "bash"] + words, environment: environment, timeLimit: .seconds(600)
      ).run()
      try #require(outcome.ending == .exited(0), "\(outcome.text)")
    }
    let root = try place.makeDirectory("service")
    try await bash(
      """
      auth-service-least-cost schema install --database "$PLACE/service/home" --first-administrator alice \
        --password-stdin <<<"$ALICE"
      """)
    let serve = """
      "$@" run --database "$PLACE/service/home" --socket "$PLACE/people.sock" --group "$(id -gn)" &
      service=$!
      # The service, and not strace, which keeps signals off while it traces.
      stop() { kill $(pgrep -P $service || echo $service) && wait $service; }
      trap 'stop 2>/dev/null' EXIT
      until auth-service-least-cost health; do kill -0 $service; done
      """
    let service = try await Recording(below: root) {
      try await bash(
        """
        \(serve)
        auth-cli login alice --password-stdin <<<"$ALICE"
        auth-cli accounts registration open
        auth-cli register bob --password-stdin <<<"$ALICE"
        auth-cli pay 12.50 --to bob --idempotency-key rent
        printf '%s\\n' "$ALICE" 'an umbrella in the rain' | auth-cli password --password-stdin
        auth-cli logout
        stop
        trap - EXIT
        """, $0([BuiltExecutable.service]))
    }
    let backup = try await Recording(below: copies.path) {
      try await bash(
        """
        serve() { \(serve); }
        serve auth-service-least-cost
        "$@" backup "$COPIES/backup.db"
        """, $0([BuiltExecutable.service]))
    }
    return (service, backup)
  }

  @Test("nothing that a service has answered is lost in a power cut, and no backup that it wrote")
  func service() async throws {
    let (service, backup) = try await recordService()
    try #require(service.calls.count { if case .answer = $0.change { true } else { false } } > 6)
    let faults = try await service.faults(of: service.cuts(Effort.isComplete ? 80 : 8, seed: 1)) { place, _ in
      let check = Program(
        BuiltExecutable.service, ["schema", "check", "--database", place + "/home"], timeLimit: .seconds(600))
      let outcome = try await check.run()
      return outcome.ending == .exited(0) ? nil : "schema check \(outcome.ending): \(outcome.text)"
    }
    #expect(faults == [])
    let log = "authority.db-wal"
    try #require(service.calls.contains { $0.description == "synchronise \(log)" })
    #expect(try await service.faults(of: service.cuts(200, seed: 1), ignoring: log) != [], "a control")
    let cuts = backup.cuts(10, seed: 1)
    #expect(try await backup.faults(of: cuts) == [])
    for file in Set(backup.calls.filter { $0.description.hasPrefix("synchronise") }.map(\.file)) {
      #expect(try await backup.faults(of: backup.cuts(50, seed: 1), ignoring: file) != [], "a control: \(file)")
    }
  }

  private static let hasProvider = ["curl", "python3"].allSatisfy { program in
    ["/usr/bin", "/usr/local/bin", "/bin"].contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  @Test(
    "the answer of a provider to a renewal is durable before it is used, and if a cut loses it, one sentence says so",
    .enabled(if: hasProvider, "needs curl and python3"))
  func renewal() async throws {
    let place = ShortFolder.quick
    let environment = [
      "PATH": Program.inheritedEnvironment["PATH"] ?? "/usr/bin:/bin", "AUTH_CLI": BuiltExecutable.cheap,
      "TRANSCRIPT_TOOL": BuiltExecutable.transcriptTool,
      "TESTDIR": BuiltExecutable.repository + "/fixtures/transcripts",
      "LC_ALL": "C", "TZ": "GMT",
    ]
    func shell(_ script: String, _ words: [String] = []) async throws -> ProgramOutcome {
      let script = ". $TESTDIR/setup.sh; \(script)"
      return try await Program(
        "sh", ["-c", script, "sh"] + words, environment: environment, workingDirectory: place.path,
        timeLimit: .seconds(600)
      ).run()
    }
    // The provider ends when its directory is removed.
    let login = try await shell(
      """
      provider=lying; . $TESTDIR/provider.sh; trap - EXIT
      echo '{"expires_in": 3600}' >provider/token
      echo '{"access_token": "new-token", "refresh_token": "new", "expires_in": 36000}' >provider/refresh
      pasting auth-cli login --paste --provider "$issuer" --client-id cli
      """)
    try #require(login.text.contains("Logged in"), "\(login.text)")
    let token = "token --min-valid 2h"
    let recording = try await Recording(below: place.path) {
      let renewed = try await shell(
        #""$@""#, $0([BuiltExecutable.cheap] + token.split(separator: " ").map(String.init)))
      try #require(renewed.text == "new-token\n", "\(renewed.text)")
    }
    let answer = "default.answer"
    func index(after start: Int, of isMeant: (DiskCall) -> Bool) throws -> Int {
      try #require(recording.calls.indices.dropFirst(start + 1).first { isMeant(recording.calls[$0]) })
    }
    // The request is sent once the note about it is durable, and the directory, too.
    let note = try index(after: -1) { $0.description.hasPrefix("write") && $0.file == "default.exchange" }
    let sent = try index(after: note) { $0.description == "synchronise home" }
    let arrival = try index(after: sent) { $0.description.hasPrefix("write") && $0.file == answer }
    let end = try index(after: arrival) { $0.description == "remove \(answer)" }
    #expect(recording.calls[arrival..<end].contains { $0.description == "synchronise \(answer)" })
    // From the request on the old token may be spent, and then the provider refuses it.
    try TextFile.write(
      "HTTP/1.1 400 Bad Request\r\n\r\n{\"error\": \"invalid_grant\"}", to: place.path + "/provider/token.raw")
    let losses: [Disk.Loss] = Effort.sample(
      [.nothing, .everything, .contents, .names, .some(seed: 1), .some(seed: 2)], 2)
    let cuts = (sent + 1...recording.calls.count).flatMap { moment in losses.map { recording.cut(moment, $0) } }
    let (isSaved, isLost) = ("new-token\n", Self.lostRenewal)
    var said: Set<String> = []
    let faults = try await recording.faults(of: cuts) { root, _ in
      let outcome = try await Program(
        BuiltExecutable.cheap, token.split(separator: " ").map(String.init),
        environment: environment.merging(["HOME": root, "AUTH_CLI_HOME": root + "/home"]) { $1 },
        timeLimit: .seconds(600)
      ).run()
      said.insert(outcome.text)
      let isRight = outcome.text == isSaved && outcome.ending == .exited(0)
      return isRight || outcome.text == isLost && outcome.ending == .exited(4) ? nil : outcome.text
    }
    #expect(faults == [])
    #expect(said == [isSaved, isLost], "each is met")
  }

  /// What the program says after a cut that lost the answer to a renewal.
  private static let lostRenewal = """
    auth-cli: the answer to a renewal was lost, and the server then ended the session
    Log in with: auth-cli login

    """

  /// A file, and a command for which its synchronisation matters.
  private static let synchronised: [(file: String, line: String)] = [
    ("authority.db", "pay 12.50"), ("authority.db-journal", "pay 12.50"), (".default.session.new", "reauth"),
    ("home", "logout"),
  ]

  @Test(
    "without the synchronisation of a file something is lost, and that is found",
    arguments: Effort.sample(synchronised, 2))
  func control(file: String, line: String) async throws {
    let command = try #require(CrashCase.all.first { $0.line.hasPrefix(line) && $0.start == .loggedIn })
    let (_, recording) = try await record(command)
    try #require(recording.calls.contains { $0.description == "synchronise \(file)" })
    #expect(try await recording.faults(of: recording.cuts(200, seed: 1), ignoring: file) != [])
  }
}
