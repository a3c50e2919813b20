import DatabaseFiles
import Foundation
import Programs
import Testing

/// Commands of which one call that writes fails, as it does on a broken or full disk.
@Suite("Failing calls", .timeLimit(.minutes(10)))
struct FailingCallTests {
  private static let cases =
    CrashCase.all.filter { $0.start != .nothing }
    + [CrashCase(start: .loggedIn, line: "accounts disable bob")]

  @Test(
    "whichever call fails, \"nothing was changed\" is printed only when it is true",
    arguments: Effort.sample(cases, 3))
  func truthful(_ command: CrashCase) async throws {
    let shim = try await CallShim.shared.value
    let calls = try await shim.run(
      command.line, input: command.input, in: try await CrashStart.home(command.start)
    )
    .calls
    let all = KillPoint.among(calls, every: false).filter { !$0.isTorn && $0.call.file != "output" }
    try #require(all.count > 2)
    // Commands take turns in which half they leave out, but for the complete sweep.
    let half = command.line.utf8.count % 2
    let points = all.enumerated().filter { meetsEveryCall || $0.offset % 2 == half }.map(\.element)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for point in points { group.addTask { try await fail(command, at: point.call) } }
      try await group.waitForAll()
    }
  }

  @Test("a file system without locks is named as the cause, with what to do", arguments: [ENOLCK, EOPNOTSUPP])
  func withoutLocks(_ error: Int32) async throws {
    let shim = try await CallShim.shared.value
    for (line, input) in [("profile", ""), ("login alice --password-stdin", CommandHome.alice + "\n")] {
      let run = try await shim.run(line, input: input, in: try await CrashStart.home(.loggedIn), lockError: error)
      #expect(run.outcome.ending == .exited(3), "\(line)")
      #expect(run.outcome.text.contains("on a file system that has locks"), "\(line): \(run.outcome.text)")
    }
  }

  private func fail(_ command: CrashCase, at call: WritingCall) async throws {
    let home = try await CrashStart.home(command.start)
    let before = Holdings(home)
    let outcome = try await CallShim.shared.value.run(
      command.line, input: command.input, in: home, failing: call
    ).outcome
    guard case .exited(let status) = outcome.ending else {
      Issue.record("call \(call.number), \(call): \(outcome.ending) \(outcome.text)")
      return
    }
    let books = try #require(Books(home.database))
    #expect(books.areInOrder, "call \(call.number), \(call): \(books)")
    if status == 0 { return }
    #expect(status == 3 || command.retry.contains(status), "call \(call.number), \(call): \(status) \(outcome.text)")
    if outcome.text.lowercased().contains("nothing was changed") {
      #expect(Holdings(home) == before, "call \(call.number), \(call): \(outcome.text)")
    }
  }
}

/// What a command may change: accounts, live sessions and money, and whether a session is kept.
private struct Holdings: Equatable {
  private let rows: [String]
  private let keepsSession: Bool

  init(_ home: CommandHome) {
    rows = home.rows(
      "SELECT name, display_name, password_hash, disabled, role FROM accounts ORDER BY id",
      "SELECT account, hex(code_hash) FROM codes ORDER BY account, code_hash",
      "SELECT registration_closed, two_step_required FROM authority",
      "SELECT account, hex(secret), last_step FROM two_steps",
      "SELECT id FROM sessions WHERE ended_reason IS NULL ORDER BY id",
      "SELECT id, payer, payee, amount, key FROM transfers ORDER BY id",
      "SELECT id, balance FROM ledger_accounts ORDER BY id")
    keepsSession = FileManager.default.fileExists(atPath: home.sessionFile)
  }
}
