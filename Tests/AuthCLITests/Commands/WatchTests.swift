import Glibc
import Programs
import Races
import Terminals
import Testing
import TextFormat

/// `watch`, with everything that changes the session done by other processes.
@Suite("Watching the session", .timeLimit(.minutes(10)))
struct WatchTests {
  @Test("a watcher that is there before anything else sees every change, once and in order, as a line and as JSON")
  func everyChange() async throws {
    let home = try await CommandHome(registered: false, apart: true)
    let (text, json) = (try Watcher(home), try Watcher(home, "--json"))
    var latencies: [Duration] = []
    func expect(_ line: String, _ change: String) async throws {
      let start = ContinuousClock.now
      #expect(try await text.change() == line)
      latencies.append(start.duration(to: .now))
      let document = try await json.line()
      #expect(document.hasPrefix(#"{"version":1,"at":"20"#) && document.hasSuffix("}"))
      #expect(document.contains(change), "\(document)")
    }
    try await expect("nobody is logged in", #""change":"logged_out","reason":null"#)
    try await home.succeed("register alice", as: "alice")
    try await home.succeed("register bob", as: "bob")
    try await home.succeed("login alice", as: "alice")
    try await expect("logged in as alice (alice)", #""change":"logged_in","user":{"id":"u1","username":"alice""#)
    try await home.succeed("profile --name Alicia")
    try await expect(
      "the user is now alice (Alicia, administrator)", #""change":"user_changed","user":{"id":"u1","username":"alice""#)
    try await home.succeed("reauth", as: "alice")
    try await expect("the password was entered again", #""change":"reauthenticated","user""#)
    try await home.succeed("login bob --switch", as: "bob")
    try await expect(
      "logged out: another login took its place", #""change":"logged_out","reason":"switched_user""#)
    try await expect("logged in as bob (bob)", #""change":"logged_in","user":{"id":"u2""#)
    try await home.succeed("logout")
    try await expect(
      "logged out: the session was ended by logging out", #""change":"logged_out","reason":"user_asked""#)
    for watcher in [text, json] {
      watcher.send(SIGTERM)
      #expect(try await watcher.end() == .signalled(SIGTERM))
    }
    let slowest = latencies.dropFirst().max() ?? .zero
    print("watch: \(latencies.count) lines, the slowest \(slowest) after the end of the command that caused it")
  }

  @Test("what others do to the account ends the session here, with the reason")
  func endedByOthers() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice --context admin", as: "alice")
    try await home.succeed("login bob", as: "bob")
    let watcher = try Watcher(home)
    #expect(try await watcher.change() == "logged in as bob (bob)")
    try await home.succeed("accounts disable bob --context admin")
    #expect(try await watcher.change() == "logged out: the account was disabled")
    try await home.succeed("accounts enable bob --context admin")

    for (line, input, reason) in [
      ("logout --all", "", "the session was ended by logging out"),
      (
        "password --password-stdin", CommandHome.passwords["bob"].map { "\($0)\nquiet meadow copper lantern\n" } ?? "",
        "the session was revoked"
      ),
    ] {
      try await home.succeed("login bob", as: "bob")
      #expect(try await watcher.change() == "logged in as bob (bob)")
      try await home.succeed("login bob --context elsewhere", as: "bob")
      let outcome = try await home.run("\(line) --context elsewhere", input: input)
      #expect(outcome.ending == .exited(0), "\(outcome.text)")
      #expect(try await watcher.change() == "logged out: \(reason)")
    }
    watcher.send(SIGINT)
    #expect(try await watcher.end() == .signalled(SIGINT))
  }

  @Test(
    "a limit that passes and a restart of the machine end what is watched",
    arguments: [
      (CommandHome.Passed.idle, "the session expired after too long without activity"),
      (CommandHome.Passed.absolute, "the session reached its longest duration"),
      (CommandHome.Passed.boot, "the machine was restarted since the session began"),
    ])
  func limits(_ passing: String, _ reason: String) async throws {
    let home = try await CommandHome(loggedIn: true)
    let watcher = try Watcher(home, "--until logged-out")
    #expect(try await watcher.change() == "logged in as alice (alice)")
    try home.changeDatabase(passing)
    #expect(try await watcher.change() == "logged out: \(reason)")
    #expect(try await watcher.end() == .exited(0))
  }

  @Test("a limit that is reached without any other change is reported")
  func limitAlone() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice --absolute 1s", as: "alice")
    let watcher = try Watcher(home, "--until logged-out --json")
    var line = try await watcher.line()
    // A slow machine may come to look when it is over.
    if line.contains(#""change":"logged_in""#) { line = try await watcher.line() }
    #expect(line.contains(#""change":"logged_out","reason":"expired_absolute""#), "\(line)")
    #expect(try await watcher.end() == .exited(0))
  }

  @Test("a session file that is moved away is reported and ends no session: moved back, it works and is reported again")
  func movedAway() async throws {
    let home = try await CommandHome(loggedIn: true)
    let (text, json) = (try Watcher(home), try Watcher(home, "--json"))
    #expect(try await text.change() == "logged in as alice (alice)")
    #expect(try await json.line().contains(#""change":"logged_in""#))
    let (file, elsewhere) = (home.state + "/default.session", home.state + "/../elsewhere")
    for _ in 1...2 {
      try #require(rename(file, elsewhere) == 0)
      #expect(
        try await text.change() == "nobody is logged in here: the session file is gone, but its session is still active"
      )
      #expect(try await json.line().contains(#""change":"logged_out","reason":"session_file_gone""#))
      try #require(rename(elsewhere, file) == 0)
      #expect(try await text.change() == "logged in as alice (alice)")
      #expect(try await json.line().contains(#""change":"logged_in""#))
    }
    #expect(try await home.run("pay 1 --to bob").ending == .exited(0))
  }

  @Test("activity, questions, payments and what happens in another context print nothing")
  func silence() async throws {
    let home = try await CommandHome()
    try await home.succeed("login bob", as: "bob")
    let watcher = try Watcher(home)
    #expect(try await watcher.change() == "logged in as bob (bob)")
    try home.changeDatabase("UPDATE sessions SET active = active - 600000000000")
    for line in ["status", "home", "receipts", "sessions", "pay 1 --to alice"] { try await home.succeed(line) }
    try await home.succeed("login alice --context other", as: "alice")
    try await home.succeed("profile --name Somebody --context other")
    try await home.succeed("logout --context other")
    try await home.succeed("logout")
    #expect(try await watcher.change() == "logged out: the session was ended by logging out")
  }

  @Test("looking is no change: two watchers rest when nothing happens, as root too")
  func rest() async throws {
    let home = try await CommandHome(loggedIn: true)
    let watchers = [try Watcher(home), try Watcher(home)]
    for watcher in watchers { #expect(try await watcher.change() == "logged in as alice (alice)") }
    try await home.succeed("profile --name Alicia")
    for watcher in watchers {
      #expect(try await watcher.change() == "the user is now alice (Alicia, administrator)")
    }
    // A look opens some files; nothing else here does.
    #expect(try await onOwnThread { try openingsUntilQuiet(in: home.data) } < 100)
  }

  @Test("a failed look is reported once, and the state again when a look succeeds")
  func obstacle() async throws {
    let home = try await CommandHome(loggedIn: true)
    let watcher = try Watcher(home, "--json")
    #expect(try await watcher.line().contains(#""change":"logged_in""#))
    let (database, away) = (home.data + "/authority.db", home.data + "/away")
    #expect(rename(database, away) == 0)
    let obstacle = try await watcher.line()
    #expect(obstacle.contains(#""change":"unavailable","code":"database_missing""#), "\(obstacle)")
    for _ in 0..<3 { #expect(try await home.run("status").ending == .exited(3)) }
    #expect(rename(away, database) == 0)
    #expect(try await watcher.line().contains(#""change":"logged_in""#))
    try await home.succeed("logout")
    #expect(try await watcher.line().contains(#""reason":"user_asked""#))
  }

  @Test("it ends when nobody reads it any more, and when the directory it watches is gone")
  func endings() async throws {
    let home = try await CommandHome()
    let unread = try Watcher(home)
    _ = try await unread.line()
    unread.stopReading()
    #expect(try await unread.end() == .signalled(SIGPIPE))

    let watcher = try Watcher(home)
    #expect(try await watcher.change() == "nobody is logged in")
    #expect(rename(home.state, home.state + "-away") == 0)
    #expect(try await watcher.line().hasPrefix("auth-cli: "))
    #expect(try await watcher.end() == .exited(3))
  }

  @Test("on a terminal the screen has its bar, is dismissed with the reason, and another one opens")
  func terminal() async throws {
    let home = try await CommandHome()
    try await home.succeed("login bob", as: "bob")
    let terminal = try PseudoTerminal(columns: 50)
    let program = try terminal.launch(home.words("watch --no-color"), environment: home.environment)
    func bar(_ right: String) -> String {
      "Watch" + String(repeating: " ", count: 45 - right.count) + right + "\r\n\r\n"
    }
    let begun = try await onOwnThread { try terminal.expect("logged in as bob (bob)\r\n") }
    #expect(begun.hasPrefix(bar("bob")))
    try await home.succeed("logout")
    let dismissed = try await onOwnThread { try terminal.expect("not logged in\r\n\r\n") }
    #expect(dismissed.hasSuffix("logged out: the session was ended by logging out\r\n\r\n" + bar("not logged in")))
    try await home.succeed("login alice", as: "alice")
    let opened = try await onOwnThread { try terminal.expect("logged in as alice (alice)\r\n") }
    #expect(opened.hasPrefix("\r\n" + bar("alice")))
    try terminal.send("\u{3}")
    #expect(try program.wait() == .signalled(SIGINT))
  }
}

/// How often a file in the directory is opened until none is for half a second; at most a thousand
/// times.
private func openingsUntilQuiet(in directory: String) throws -> Int {
  let descriptor = inotify_init1(Int32(IN_CLOEXEC))
  guard descriptor >= 0 else { throw PseudoTerminal.Failure(description: "no inotify: error \(errno)") }
  defer { close(descriptor) }
  guard inotify_add_watch(descriptor, directory, UInt32(IN_OPEN)) >= 0 else {
    throw PseudoTerminal.Failure(description: "\(directory) cannot be watched: error \(errno)")
  }
  var count = 0
  var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  var buffer = [UInt8](repeating: 0, count: 512)
  while count < 1000, poll(&event, 1, 500) > 0, read(descriptor, &buffer, buffer.count) > 0 { count += 1 }
  return count
}
