import DatabaseFiles
import Foundation
import Programs
import Testing

/// Whether `make test-crash` asks for every call in place of a choice of them.
let meetsEveryCall = Program.inheritedEnvironment["CRASH_EVERY"] == "1"

/// Commands killed at the calls that write.
///
/// In `make test-all` every fourth writing call is a kill point, and of rows of like calls only the
/// first and the last count; `make test` takes three commands. `make test-crash` kills at every
/// single call, and half way through every write. `CRASH_COMMANDS` chooses commands by the
/// start of their command lines, separated by commas.
@Suite("Crash", .timeLimit(.minutes(meetsEveryCall ? 240 : 30)))
struct CrashTests {
  private static let chosen = Program.inheritedEnvironment["CRASH_COMMANDS"]?.split(separator: ",")

  @Test(
    "killed at any call that writes, it leaves the old state or the new, and nothing to repair",
    arguments: Effort.sample(
      CrashCase.all.filter { command in chosen?.contains { command.line.hasPrefix($0) } ?? true }, 3))
  func killed(_ command: CrashCase) async throws {
    let shim = try await CallShim.shared.value
    let whole = try await CrashStart.home(command.start)
    var states = [Self.state(whole)]
    let run = try await shim.run(command.line, input: command.input, in: whole)
    try #require(run.outcome.ending == .exited(0), "\(run.outcome.text)")
    states.append(Self.state(whole))
    if command.isOneChange { try #require(states[0] != states[1]) }
    let all = KillPoint.among(run.calls, every: meetsEveryCall)
    try #require(all.count > 3)
    // Commands take turns in which calls they choose; the last call is always in.
    let offset = command.line.utf8.count % 4
    let points = all.enumerated().filter { index, _ in
      meetsEveryCall || index % 4 == offset || index == all.count - 1
    }.map(\.element)
    let began = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for point in points { group.addTask { [states] in try await kill(command, at: point, states) } }
      try await group.waitForAll()
    }
    print(
      "\(command.testDescription): \(run.calls.count) writing calls, \(points.count) kill points, \(ContinuousClock.now - began)"
    )
  }

  /// What a database says of accounts, groups and codes, without what is random.
  private static func state(_ home: CommandHome) -> [String] {
    home.rows(
      "SELECT name, display_name, disabled, role FROM accounts ORDER BY id",
      "SELECT account, group_name FROM members ORDER BY 1, 2",
      "SELECT account, last_step IS NULL FROM two_steps",
      "SELECT account, expires_at IS NULL, count(*) FROM codes GROUP BY 1, 2 ORDER BY 1, 2",
      "SELECT registration_closed, two_step_required, (SELECT count(*) FROM reserved_names) FROM authority",
      "SELECT account, count(*) FROM sessions WHERE ended_reason IS NULL GROUP BY 1 ORDER BY 1",
      "SELECT id, balance FROM ledger_accounts ORDER BY id",
      """
      SELECT name, count(*) FROM events WHERE name NOT IN ('sensitive_read', 'session_use_after_expire')
      GROUP BY 1 ORDER BY 1
      """)
  }

  private func kill(_ command: CrashCase, at point: KillPoint, _ states: [[String]]) async throws {
    let home = try await CrashStart.home(command.start)
    let session = FileManager.default.contents(atPath: home.sessionFile)
    let run = try await CallShim.shared.value.run(command.line, input: command.input, in: home, killedAt: point)
    // Hashes and tokens are random, and so is a page more or less: a run may end before a late
    // point.
    #expect(run.outcome.ending == .signalled(SIGKILL) || run.calls.count < point.call.number, "\(point)")
    let status = try await home.run("status")
    #expect(
      command.statusAfter.contains { status.ending == .exited($0) }, "\(point): status \(status.ending) \(status.text)")
    // After `status`, which has repaired what was torn.
    if command.isOneChange { #expect(states.contains(Self.state(home)), "\(point): neither the old state nor the new") }
    try await runAgain(command, after: point, in: home, session)
    let books = try #require(Books(home.database), "\(point)")
    #expect(books.areInOrder, "\(point): \(books)")
  }

  private func runAgain(
    _ command: CrashCase, after point: KillPoint, in home: CommandHome, _ session: Data?
  ) async throws {
    let again = try await home.run(command.line, input: command.input)
    #expect(command.retry.contains { again.ending == .exited($0) }, "\(point): \(again.ending) \(again.text)")
    let status = try await home.run("status")
    #expect(status.ending == .exited(command.statusFinally), "\(point): status \(status.ending) \(status.text)")
    #expect(Books(home.database)?.transfers == command.transfersFinally, "\(point)")
    if again.ending == .exited(5), command.statusFinally == 0 {
      let input =
        command.start == .withStep ? "\(CommandHome.alice)\n\(CrashStart.otherCode)" : "an umbrella in the rain"
      let reauthentication = try await home.run("reauth --password-stdin", input: input)
      #expect(reauthentication.ending == .exited(0), "\(point): neither the old nor the new password works")
    }
    if command.statusFinally == 1, let session {
      try #require(
        FileManager.default.createFile(
          atPath: home.sessionFile, contents: session, attributes: [.posixPermissions: 0o600]))
      #expect(try await home.run("status").ending == .exited(1), "\(point): a copy of the session file works")
    }
    if again.ending == .exited(5), command.statusFinally == 1 {
      let login = try await home.run("login alice --password-stdin", input: "an umbrella in the rain")
      #expect(login.ending == .exited(0), "\(point): the code is used up, and the new password does not work")
    }
  }
}
