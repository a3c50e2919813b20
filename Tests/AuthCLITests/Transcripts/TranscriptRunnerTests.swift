import Programs
import Testing

/// The runner itself, on transcripts of the shell: what cram accepts passes, and a wrong
/// expectation fails.
@Suite struct TranscriptRunnerTests {
  private func play(_ text: String, timeLimit: Duration = .seconds(60)) async throws -> TranscriptRun {
    try await TranscriptRun(
      Transcript(name: "case.t", contents: Array(text.utf8)), executable: "/bin/true", directory: "/tmp",
      timeLimit: timeLimit)
  }

  @Test(
    "a transcript passes when it says what happens",
    arguments: [
      "Only prose.\n",
      "  $ echo one; echo two >&2\n  one\n  two\n",
      "  $ true\n  $ false\n  [1]\n  $ (exit 3)\n  [3]\n",
      "  $ cd /\n\nState is kept.\n\n  $ x=5\n  $ pwd; echo $x\n  /\n  5\n",
      "  $ cat <<END\n  > one\n  >   two\n  > END\n  one\n    two\n",
      "  $ printf one\n  one (no-eol)\n  $ printf 'one\\ntwo'\n  one\n  two (no-eol)\n",
      "  $ echo id 42\n  id [0-9]+ (re)\n  $ echo 'a+b'\n  a+b\n",
      "  $ echo a*b; echo 'x*'; echo abc\n  a?b (glob)\n  x\\* (glob)\n  a* (glob)\n",
      "  $ printf 'a\\tb\\033[1m\\n'\n  a\\tb\\x1b[1m (esc)\n",
      "  $ printf 'caf\\303\\251\\n'\n  caf\\xc3\\xa9 (esc)\n  $ printf 'caf\\303\\251\\n'\n  café\n",
      "  $ printf 'a\\rb\\n'\n  a\\r (no-eol) (esc)\n  b\n",
      "  $ echo; echo end\n  \n  end\n",
      "  $ echo \"$LANG $TZ $COLUMNS $TESTFILE ${TESTDIR} $HOME\" | sed \"s,$PWD,PWD,\"\n  C GMT 80 case.t /tmp PWD\n",
      "  $ [ -t 0 ] || (: > /dev/tty) 2>/dev/null || echo no terminal\n  no terminal\n",
    ])
  func passes(_ text: String) async throws {
    let run = try await play(text)
    let difference = try await run.difference()
    #expect(run.passed, "\(difference)")
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

  @Test("the difference is shown in unified form, and recording writes what happened but keeps patterns that matched")
  func showsAndRecords() async throws {
    let run = try await play("Title\n\n  $ echo 1\n  [0-9] (re)\n  $ echo b; (exit 2)\n  a\n  [1]\n\nEnd\n")
    #expect(
      try await run.difference() == """
        --- case.t
        +++ case.t, as it ran
        @@ -3,7 +3,7 @@
           $ echo 1
           [0-9] (re)
           $ echo b; (exit 2)
        -  a
        -  [1]
        +  b
        +  [2]
         
         End

        """)
    let recorded = run.recorded.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    #expect(recorded == "Title\n\n  $ echo 1\n  [0-9] (re)\n  $ echo b; (exit 2)\n  b\n  [2]\n\nEnd")
  }

  @Test("a transcript that hangs is killed with everything it started")
  func killsAtTheLimit() async throws {
    let run = try await play("  $ sleep 600 & sleep 600\n", timeLimit: .milliseconds(200))
    #expect(run.ending == .killedAtTimeLimit)
    #expect(!run.passed)
  }

  @Test("a directory of its own, gone afterwards")
  func removesItsDirectory() async throws {
    let run = try await play("  $ touch a; mkdir b; pwd\n")
    let line = try #require(run.recorded.last)
    let directory = String(decoding: line.dropFirst(2), as: UTF8.self)
    #expect(directory.hasSuffix("/case.t"))
    #expect(try await play("  $ test -e \(directory)\n  [1]\n").passed)
  }
}
