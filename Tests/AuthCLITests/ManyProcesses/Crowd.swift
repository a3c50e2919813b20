import Programs

/// Many processes at once, started by one shell: more than the tests' own places for children
/// allow.
struct Crowd {
  /// The exit statuses, in the order of the script's own lines: each `run NAME COMMAND…` writes
  /// one.
  let statuses: [String: [Int32]]
  let outcome: ProgramOutcome

  /// Runs a script in which `run NAME WORD…` runs the executable and notes how it ended under
  /// NAME, one writer to a name at a time.
  init(_ home: CommandHome, _ script: String, timeLimit: Duration = .seconds(180)) async throws {
    let preamble = """
      cli='\(home.executable)'; notes='\(home.file("notes"))'; rm -rf "$notes"; mkdir -p "$notes"
      alice='\(CommandHome.alice)'; bob='\(CommandHome.bob)'
      run() { name=$1; shift; "$cli" "$@" >>"$notes/$name.out" 2>&1; echo $? >>"$notes/$name"; }

      """
    outcome = try await Program(
      "sh", ["-c", preamble + script + "\nwait\ncd \"$notes\" && grep -H '' $(ls | grep -v out$)"],
      environment: home.environment, timeLimit: timeLimit
    ).run()
    var statuses: [String: [Int32]] = [:]
    for line in outcome.text.split(separator: "\n") {
      let words = line.split(separator: ":")
      guard words.count == 2, let status = Int32(words[1]) else { continue }
      statuses[String(words[0]), default: []].append(status)
    }
    self.statuses = statuses
  }

  /// Every status of every name that begins so.
  func all(_ prefix: String) -> [Int32] {
    statuses.filter { $0.key.hasPrefix(prefix) }.flatMap(\.value)
  }
}
