import DatabaseFiles
import Foundation
import Glibc
import Programs
import Races
import Testing

/// Commands while another process has the lock of the database.
///
/// Their sleeps take no time, but move the clock that they read; see `fixtures/meet-at-sleep.c`. So
/// these tests do not depend on the speed of the machine.
@Suite("A locked database", .timeLimit(.minutes(10)))
struct LockedDatabaseTests {
  private let home: CommandHome
  private let library: String
  private let scratch = ShortFolder.quick

  init() async throws {
    home = try await CommandHome(loggedIn: true)
    library = try await CallShim.compile("meet-at-sleep.c", into: scratch)
  }

  /// Runs a command, and returns its outcome and how long it waited for the lock, by its own clock.
  private func run(_ line: String, meetingAt pipe: String? = nil) async throws -> (ProgramOutcome, waited: Duration) {
    let log = scratch.path + "/sleeps"
    var variables = ["LD_PRELOAD": library, "SLEEPS": log]
    if let pipe { variables["MEETING"] = pipe }
    let outcome = try await home.run(line, adding: variables)
    let slept = try #require(Int64(try String(contentsOfFile: log, encoding: .utf8)))
    return (outcome, .microseconds(slept))
  }

  @Test("a prompt beside a payment shows the name, once the payment has released the lock")
  func released() async throws {
    let pipe = scratch.path + "/meeting"
    try #require(mkfifo(pipe, 0o600) == 0)
    let lock = try DatabaseFile(home.database)
    try lock.run("BEGIN EXCLUSIVE")
    async let prompt = run("status --short", meetingAt: pipe)
    // It is open when the prompt has met the lock and sleeps.
    let meeting = try await onOwnThread { open(pipe, O_WRONLY | O_CLOEXEC) }
    try lock.run("ROLLBACK")
    close(meeting)
    let (outcome, waited) = try await prompt
    #expect(outcome.ending == .exited(0) && outcome.text == "alice\n")
    #expect(waited > .zero)
  }

  @Test(
    "a lock that is held for ever leaves a prompt and completions blank after 30 ms, and other commands fail after 5 s",
    arguments: [
      ("status --short", 3, 30), ("completions bash -- pay 1 --to ", 0, 30),
      ("completions zsh -- accounts show ", 0, 30),
      ("status", 3, 5000), ("receipts", 3, 5000),
    ])
  func held(line: String, status: Int32, milliseconds: Int64) async throws {
    let lock = try DatabaseFile(home.database)
    try lock.run("BEGIN EXCLUSIVE")
    let (outcome, waited) = try await run(line)
    try lock.run("ROLLBACK")
    #expect(outcome.ending == .exited(status))
    let isForShell = milliseconds == 30
    #expect(
      isForShell
        ? !outcome.text.contains("auth-cli:") && !outcome.text.contains("alice")
        : outcome.text.contains("is busy: another process did not finish in time"), "\(outcome.text)")
    // The last pause ends up to 2 ms after the limit.
    #expect((.milliseconds(milliseconds)...(.milliseconds(milliseconds + 2))).contains(waited), "\(waited)")
  }
}
