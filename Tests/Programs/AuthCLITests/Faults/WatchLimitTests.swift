import Programs
import Testing

@Suite(
  "The limits of the kernel that watch reaches", .enabled(if: Strace.isHere, Strace.advice), .timeLimit(.minutes(10)))
struct WatchLimitTests {
  @Test(
    "the message names the limit that was reached, and not another one",
    arguments: [
      ("inotify_init1:error=EMFILE", "fs.inotify.max_user_instances"),
      ("inotify_add_watch:error=ENOSPC", "fs.inotify.max_user_watches"),
    ])
  func named(fault: String, limit: String) async throws {
    let home = try await CommandHome(loggedIn: true)
    let outcome = try await Program(
      "strace",
      ["-f", "-qq", "-o", home.file("trace"), "-e", "inject=\(fault)"] + home.words("watch --until logged-out"),
      environment: home.environment, timeLimit: .seconds(600)
    ).run()
    #expect(outcome.ending == .exited(3) && outcome.text.contains(limit), "\(outcome.text)")
    for other in ["max_user_instances", "max_user_watches", "ulimit"] where !limit.contains(other) {
      #expect(!outcome.text.contains(other), "\(outcome.text)")
    }
  }
}
