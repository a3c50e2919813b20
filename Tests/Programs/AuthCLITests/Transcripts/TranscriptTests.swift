import Programs
import Testing

@testable import AuthCLIProgram
@testable import CommandLineKit

/// Every file of `fixtures/transcripts`, played against the built executable.
///
/// `make test` plays those whose name is one word: the main cases of a command or a topic. The
/// others, such as `fault-database`, are further cases: `make test-release`, a part of `make
/// test-all`, plays all of them on the release executable. Here they run with a cheap hash, which
/// does not change what is printed. A new case needs no code. `RECORD_GOLDEN=1` writes what
/// happened into all files instead; read the difference before you keep it. `TRANSCRIPTS='pay
/// fault-database'` plays or records these alone.
@Suite(.timeLimit(.minutes(240))) struct TranscriptTests {
  private static let directory = BuiltExecutable.repository + "/fixtures/transcripts"
  private static let isRecording = Program.inheritedEnvironment["RECORD_GOLDEN"] == "1"

  private static let all = ((try? TextFile.list("fixtures/transcripts", suffix: ".t")) ?? []).compactMap {
    $0.split(separator: "/").last.map(String.init)
  }
  private static let sample = Effort.isComplete || isRecording ? all : all.filter { !$0.contains("-") }
  /// Those to play; a name that no file has fails.
  static let names =
    Program.inheritedEnvironment["TRANSCRIPTS"].map { $0.split(separator: " ").map { "\($0).t" } } ?? sample

  @Test("the executable prints what the transcript says", arguments: names)
  func plays(_ name: String) async throws {
    let file = "\(Self.directory)/\(name)"
    let transcript = Transcript(name: name, contents: try TextFile.read(file))
    let run = try await TranscriptRun(
      transcript, executable: BuiltExecutable.quick.value, directory: Self.directory, timeLimit: .seconds(1200),
      adding: Effort.isComplete ? ["TEST_ALL": "1"] : [:])
    if run.passed { return }
    if run.ending == .exited(80) {
      print("\(name) is skipped: this system lacks what it needs")
      return
    }
    if Self.isRecording && run.reachedEnd {
      try #require(!run.lacksProgram, "\(name): a command was not found, so nothing was recorded; build it")
      try TextFile.write(TranscriptRun.file(run.recorded), to: file)
    } else {
      let cause = run.reachedEnd ? "" : "The shell did not reach the end: \(run.ending).\n"
      let difference = try await run.difference()
      Issue.record("\(cause)\(difference)")
    }
  }

  @Test("every transcript sets up its own home first, so that any runner may play it", arguments: all)
  func setsUpFirst(_ name: String) throws {
    let lines = try TextFile.read("\(Self.directory)/\(name)").split(separator: "\n")
    #expect(lines.first { $0.hasPrefix("  $ ") } == #"  $ . "$TESTDIR/setup.sh""#)
  }

  @Test("every command is in one")
  func everyCommand() throws {
    let all = try Self.all.map { try TextFile.read("\(Self.directory)/\($0)") }.joined()
    let lines = AuthTool.tool.locations.filter { $0.command.request != nil }.map {
      "auth-cli \($0.path.joined(separator: " "))"
    }
    #expect(lines.filter { !all.contains($0) } == [], "these commands are in no transcript")
  }
}
