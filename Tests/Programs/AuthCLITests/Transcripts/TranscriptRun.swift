import Programs

/// One transcript, played in a shell in a fresh directory that is removed afterwards.
struct TranscriptRun {
  let transcript: Transcript
  /// How the shell ended.
  let ending: ProgramOutcome.Ending
  /// False when the shell ended before the last line, where cram looks away if no more output was
  /// expected.
  let reachedEnd: Bool
  /// The lines that happened.
  let actual: [String]
  /// The lines that happened, with every expected line kept where it matched, pattern or not.
  let recorded: [String]

  var passed: Bool { reachedEnd && recorded == transcript.lines }

  /// Whether a command was not found where the transcript expects none of that: it is not built.
  var lacksProgram: Bool {
    let notFound = "  [127]"
    return recorded.count { $0 == notFound } > transcript.lines.count { $0 == notFound }
  }

  /// Plays `transcript` with the directory of `executable` first on `PATH`, and with `AUTH_CLI`
  /// naming it.
  ///
  /// Nothing of the caller's environment but `PATH` reaches it; the variables are those that cram
  /// sets, `HOME`, and `variables`.
  init(
    _ transcript: Transcript, executable: String, directory: String, timeLimit: Duration,
    adding variables: [String: String] = [:]
  ) async throws {
    let scratch = ShortFolder.quick
    let working = try scratch.makeDirectory(transcript.name)
    let temporary = try scratch.makeDirectory("tmp")
    let salt = "TRANSCRIPT-\(UInt64.random(in: .min ... .max))"
    let bin = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let path = Program.inheritedEnvironment["PATH"] ?? "/usr/bin:/bin"
    let environment = [
      "PATH": "\(bin):\(path)", "AUTH_CLI": executable, "HOME": working,
      "TESTDIR": directory, "TESTFILE": transcript.name, "TESTSHELL": "/bin/sh", "CRAMTMP": scratch.path,
      "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary,
      "TRANSCRIPT_TOOL": BuiltExecutable.transcriptTool, "AUTH_SERVICE": BuiltExecutable.service,
      "LANG": "C", "LC_ALL": "C", "LANGUAGE": "C", "TZ": "GMT", "CDPATH": "", "COLUMNS": "80", "GREP_OPTIONS": "",
    ]
    let shell = Program(
      "/bin/sh", ["-"], environment: environment.merging(variables) { $1 }, workingDirectory: working,
      input: Array(transcript.script(salt: salt).utf8), timeLimit: timeLimit)
    let outcome = try await shell.run()
    self.transcript = transcript
    ending = outcome.ending
    let replay = transcript.replay(output: outcome.output, salt: salt)
    reachedEnd = replay.reachedEnd
    actual = replay.lines
    let difference = actual.difference(from: transcript.lines) { LinePattern.matches($0, $1) }
    recorded = transcript.lines.applying(difference) ?? actual
  }

  /// What was expected beside what happened, in unified form.
  func difference() async throws -> String {
    let scratch = ShortFolder.quick
    let (expected, happened) = ("\(scratch.path)/expected", "\(scratch.path)/happened")
    try TextFile.write(Self.file(transcript.lines), to: expected)
    try TextFile.write(Self.file(recorded), to: happened)
    let labels = ["--label", transcript.name, "--label", "\(transcript.name), as it ran"]
    return try await Program("diff", ["-u"] + labels + [expected, happened], timeLimit: .seconds(60)).run().text
  }

  /// The contents of a file with these lines.
  static func file(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}
