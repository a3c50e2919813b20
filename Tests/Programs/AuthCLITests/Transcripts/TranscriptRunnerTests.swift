import Programs
import Testing

/// The runner itself, on transcripts of the shell: a wrong expectation fails.
///
/// What cram accepts is in the transcripts of `fixtures/`, which pass.
@Suite(.timeLimit(.minutes(10))) struct TranscriptRunnerTests {
  private func play(_ text: String, timeLimit: Duration = .seconds(60)) async throws -> TranscriptRun {
    try await TranscriptRun(
      Transcript(name: "case.t", contents: text), executable: "/bin/true", directory: "/tmp",
      timeLimit: timeLimit)
  }

  @Test(
    "a transcript fails when it says anything else",
    arguments: [
      "  $ echo one\n",
      "  $ echo one\n  two\n",
      "  $ echo one\n  one\n  one\n",
      "  $ echo one\n  one \n",
      "  $ true\n  one\n",
      "  $ false\n",
      "  $ false\n  [2]\n",
      "  $ true\n  [0]\n",
      "  $ printf one\n  one\n",
      "  $ echo one\n  one (no-eol)\n",
      "  $ echo ab\n  a (re)\n",
      "  $ echo ab\n  a? b (glob)\n",
      "  $ echo ab\n  [ (re)\n",
      "  $ printf '\\001\\n'\n  \\x02 (esc)\n",
      "  $ exit 0\n\nNever reached.\n\n  $ true\n",
    ])
  func fails(_ text: String) async throws {
    #expect(try await !play(text).passed)
  }

  @Test("nothing is recorded where a command is not found")
  func lacksProgram() async throws {
    #expect(try await play("  $ no-such-program 2>/dev/null\n").lacksProgram)
    #expect(try await !play("  $ no-such-program 2>/dev/null\n  [127]\n").lacksProgram)
    #expect(try await !play("  $ false\n").lacksProgram)
  }

  @Test(
    "a transcript whose program is not built says so and comes to no end, so nothing is recorded",
    arguments: [("AUTH_CLI", "setup.sh"), ("TRANSCRIPT_TOOL", "tools.sh"), ("AUTH_SERVICE", "service.sh")])
  func notBuilt(variable: String, script: String) async throws {
    let text = "  $ \(variable)=/nowhere/program\n  $ . \"$TESTDIR/\(script)\"\n  $ echo 'something wrong'\n"
    let run = try await TranscriptRun(
      Transcript(name: "case.t", contents: text), executable: BuiltExecutable.cheap,
      directory: BuiltExecutable.repository + "/fixtures/transcripts", timeLimit: .seconds(600))
    #expect(!run.reachedEnd && !run.passed)
    #expect(run.actual.contains("  /nowhere/program is not built; make builds it"), "\(run.actual)")
  }

  @Test("a transcript that hangs is killed with everything it started")
  func killsAtTheLimit() async throws {
    let run = try await play("  $ sleep 600 & sleep 600\n", timeLimit: .milliseconds(200))
    #expect(run.ending == .killedAtTimeLimit)
    #expect(!run.passed)
  }
}
