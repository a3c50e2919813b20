import Programs
import Testing

/// In which order things reach the disk, from the log of the calls: what a loss of power needs, and
/// kill -9 cannot show.
@Suite("Order of writing", .timeLimit(.minutes(10)))
struct WriteOrderTests {
  private func calls(_ line: String, input: String, from start: CrashCase.Start) async throws -> [String] {
    let home = try await CrashStart.home(start)
    let run = try await CallShim.shared.value.run(line, input: input, in: home)
    try #require(run.outcome.ending == .exited(0), "\(run.outcome.text)")
    return run.calls.map(\.description)
  }

  private let replacing = [
    "open .default.session.new", "write .default.session.new", "fsync .default.session.new",
    "rename default.session", "fsync home",
  ]

  @Test(
    "the session file is written, synchronised, renamed and its directory synchronised, after the commit that begins the session",
    arguments: CrashCase.all.filter { $0.line.contains(/^(login|reauth)/) && $0.start != .withStep })
  func sessionFile(_ command: CrashCase) async throws {
    let calls = try await calls(command.line, input: command.input, from: command.start)
    let file = calls.filter { $0.contains("default.session") || $0 == "fsync home" }
    #expect(file.filter(replacing.contains) == replacing, "\(file)")
    #expect(file.count { $0.hasSuffix(" default.session") } == 1, "only the rename touches it: \(file)")
    let made = try #require(calls.firstIndex(of: "open .default.session.new"))
    let renamed = try #require(calls.firstIndex(of: "rename default.session"))
    // The commit is the synchronised end of the journal.
    #expect(calls[..<made].last { $0.contains("authority.db") } == "fdatasync authority.db-journal")
    #expect(calls[made...renamed].allSatisfy { !$0.contains("authority.db") })
    if command.start == .loggedIn {
      let directory = try #require(calls[renamed...].firstIndex(of: "fsync home"))
      let end = try #require(
        calls[renamed...].firstIndex { $0.hasPrefix("pwrite authority.db") }, "what was exchanged is ended")
      #expect(directory < end, "the old session ends only when the new one is durable")
    }
  }

  @Test(
    "the database is changed only after its journal is durable, and committed only after it is durable itself",
    arguments: CrashCase.all.filter { $0.start == .loggedIn })
  func journal(_ command: CrashCase) async throws {
    let calls = try await calls(command.line, input: command.input, from: command.start)
    var unsynchronised: Set<String> = []
    for call in calls {
      let words = call.split(separator: " ").map(String.init)
      switch (words[0], words[1]) {
      case ("pwrite", "authority.db"):
        #expect(!unsynchronised.contains("authority.db-journal"), "\(calls)")
        unsynchronised.insert("authority.db")
      case ("pwrite", "authority.db-journal"):
        // A journal that is written to while the database is not durable would be its commit.
        #expect(!unsynchronised.contains("authority.db"), "\(calls)")
        unsynchronised.insert("authority.db-journal")
      case ("fdatasync", let file): unsynchronised.remove(file)
      case _: break
      }
    }
    #expect(unsynchronised.isEmpty, "\(unsynchronised) is not durable at the end")
  }

  @Test("logging out ends the session at the authority before the file is removed, and the removal is durable")
  func logOut() async throws {
    let calls = try await calls("logout", input: "", from: .loggedIn)
    let removed = try #require(calls.firstIndex(of: "unlink default.session"))
    #expect(calls[..<removed].last { $0.contains("authority.db") } == "fdatasync authority.db-journal")
    #expect(calls[removed...].contains("fsync home"))
    #expect(!calls[removed...].contains { $0.contains("authority.db") })
  }
}
