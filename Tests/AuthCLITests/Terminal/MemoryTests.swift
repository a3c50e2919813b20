import Glibc
import Programs
import Races
import Terminals
import Testing

/// A process that holds a password at a prompt, and what others see of its memory.
@Suite("The memory of the process", .timeLimit(.minutes(10)))
struct MemoryTests {
  private static let present = "marble kettle window harvest"

  /// Whether the system dumps a core for a process that asks for it, wherever it puts it.
  private static let dumpsCores =
    system(
      """
      d=$(mktemp -d); cd "$d" && sh -c 'ulimit -c unlimited; sh -c "kill -QUIT \\$\\$"; echo' 2>&1 | grep -q dumped
      found=$?; rm -r "$d"; exit $found
      """) == 0

  @Test(
    "killed by ^\\ while it holds a password, it leaves no core",
    .enabled(if: dumpsCores, "this system dumps no cores, so there is nothing to keep a password out of"))
  func core() async throws {
    let home = try await CommandHome(loggedIn: true, executable: BuiltExecutable.shipped)
    let terminal = try PseudoTerminal()
    // The shell survives the signal, says how its child ended, and shows every file that came
    // about.
    let script = """
      trap : QUIT; ulimit -c unlimited; cd '\(home.data)'; '\(BuiltExecutable.shipped)' password
      grep -la '\(Self.present)' * && echo found; echo over
      """
    try await onOwnThread {
      let shell = try terminal.launch(["/bin/sh", "-c", script], environment: home.environment)
      try terminal.expect("Password for alice: ")
      try terminal.send(Self.present + "\n", awaiting: "New password")
      try terminal.send("\u{1C}", awaiting: "over")
      #expect(try shell.wait() == .exited(0))
    }
    #expect(terminal.transcript.contains("Quit"))
    #expect(!terminal.transcript.contains("core dumped") && !terminal.transcript.contains("found"))
  }

  @Test(
    "another process of the same user can neither read its memory nor its environment",
    .enabled(
      if: geteuid() != 0 || system("setpriv --reuid 4711 --regid 4711 --clear-groups true") == 0,
      "root may read everything, and there is no setpriv to become somebody else"))
  func otherProcess() async throws {
    let home = try await CommandHome(executable: BuiltExecutable.shipped)
    var asUser: [String] = []
    if geteuid() == 0 {
      asUser = ["/usr/bin/env", "setpriv", "--reuid", "4711", "--regid", "4711", "--clear-groups"]
      let moved = try await Program(
        "chown", ["-R", "4711:4711", try #require(home.environment["HOME"])], timeLimit: .seconds(20)
      ).run()
      try #require(moved.ending == .exited(0), "\(moved.text)")
    }
    let probe = """
      for process in "$0" "$$"; do
        head -c 1 /proc/$process/environ >/dev/null 2>&1 && echo environ || echo no
        (: </proc/$process/mem) 2>/dev/null && echo mem || echo no
      done
      """
    let terminal = try PseudoTerminal()
    let seen = try PseudoTerminal()
    let asked = asUser
    try await onOwnThread {
      let program = try terminal.launch(asked + home.words("login alice"), environment: home.environment)
      try terminal.expect("Password for alice: ")
      let looking = asked.isEmpty ? ["/bin/sh"] : asked + ["sh"]
      let other = try seen.launch(looking + ["-c", probe, String(program.id)], environment: home.environment)
      #expect(try other.wait() == .exited(0))
    }
    // The second half is the probe itself, which shows that it would see something.
    #expect(try seen.expectEnd() == "no\r\nno\r\nenviron\r\nmem\r\n")
  }
}
