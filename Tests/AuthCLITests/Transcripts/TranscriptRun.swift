import Glibc
import Programs

/// One transcript, played in a shell in a fresh directory that is removed afterwards.
struct TranscriptRun {
  let transcript: Transcript
  /// How the shell ended.
  let ending: ProgramOutcome.Ending
  /// False when the shell ended before the last line, where cram looks away if no more output was
  /// expected.
  let reachedEnd: Bool
  /// What was expected beside what happened.
  let diff: TranscriptDiff

  var passed: Bool { reachedEnd && diff.isEmpty }

  /// Plays `transcript` with the directory of `executable` first on `PATH`, and with `AUTH_CLI`
  /// naming it.
  ///
  /// Nothing of the caller's environment but `PATH` reaches it; the variables are those that cram
  /// sets, and `HOME`.
  init(_ transcript: Transcript, executable: String, directory: String, timeLimit: Duration) async throws {
    let scratch = try ScratchDirectory()
    let working = try scratch.makeDirectory(transcript.name)
    let temporary = try scratch.makeDirectory("tmp")
    let salt = "TRANSCRIPT-\(UInt64.random(in: .min ... .max))"
    let bin = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let path = Program.inheritedEnvironment["PATH"] ?? "/usr/bin:/bin"
    let environment = [
      "PATH": "\(bin):\(path)", "AUTH_CLI": executable, "HOME": working,
      "TESTDIR": directory, "TESTFILE": transcript.name, "TESTSHELL": "/bin/sh", "CRAMTMP": scratch.path,
      "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary,
      "LANG": "C", "LC_ALL": "C", "LANGUAGE": "C", "TZ": "GMT", "CDPATH": "", "COLUMNS": "80", "GREP_OPTIONS": "",
    ]
    let shell = Program(
      "/bin/sh", ["-"], environment: environment, workingDirectory: working,
      input: transcript.script(salt: salt), timeLimit: timeLimit)
    let outcome = try await shell.run()
    self.transcript = transcript
    ending = outcome.ending
    let replay = transcript.replay(output: outcome.output, salt: salt)
    reachedEnd = replay.reachedEnd
    diff = TranscriptDiff(expected: transcript.lines, actual: replay.lines)
  }
}
