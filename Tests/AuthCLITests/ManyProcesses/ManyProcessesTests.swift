import CSQLite
import Foundation
import Programs
import Testing

/// It takes as long as all others here, so it is no link of their chain.
@Suite("Many payments", .timeLimit(.minutes(10)))
struct ManyPaymentsTests {
  @Test("16 processes pay while others log in and out: all receipts, sum zero, none lost")
  func payments() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice --context a", as: "alice")
    try await home.succeed("login bob --context b", as: "bob")
    let each = Effort.isComplete ? 50 : 10
    let crowd = try await Crowd(
      home,
      """
      pays() { for i in $(seq \(each)); do run pay-$1 pay 0.0$((i % 9 + 1)) --to $3 --context $2 --idempotency-key $1-$i; done; }
      visits() { for i in $(seq 10); do
        echo "$alice" | run login-$1 login alice --context $1 --password-stdin
        run status-$1 status --context $1; run logout-$1 logout --context $1
      done; }
      for p in 1 2 3 4 5 6 7 8; do pays $p a bob & pays 1$p b alice & done
      visits x & visits y &
      """)
    #expect(crowd.all("pay-") == [Int32](repeating: 0, count: 16 * each), "\(crowd.outcome.text)")
    for visit in ["login-", "status-", "logout-"] { #expect(crowd.all(visit) == [Int32](repeating: 0, count: 20)) }
    let books = try #require(Books(home.database))
    #expect(books.areInOrder && books.transfers == 16 * each + 2 && books.liveSessions == 2, "\(books)")
    // Both sides pay the same.
    for context in ["a", "b"] {
      let profile = try await home.run("profile --context \(context)")
      #expect(profile.text.contains("Balance   100.00"), "\(profile.text)")
    }
  }
}

/// Processes of the built executable that use one home at the same time.
@Suite("Many processes", .serialized, .timeLimit(.minutes(10)))
struct ManyProcessesTests {
  @Test("money is paid once, however many processes ask")
  func lastMoney() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice --context a", as: "alice")
    let crowd = try await Crowd(
      home, "for p in 1 2 3 4 5 6 7 8; do run pay-$p pay 60 --to bob --context a & done")
    #expect(crowd.all("pay-").sorted() == [0, 1, 1, 1, 1, 1, 1, 1], "\(crowd.outcome.text)")
    let same = try await Crowd(
      home, "for p in 1 2 3 4 5 6 7 8; do run pay-$p pay 10 --to bob --context a --idempotency-key rent & done")
    #expect(same.all("pay-") == [Int32](repeating: 0, count: 8), "\(same.outcome.text)")
    let books = try #require(Books(home.database))
    #expect(books.areInOrder && books.transfers == 4, "\(books)")
  }

  @Test("a command waits for another process's lock, then ends with 3 and changes nothing")
  func locked() async throws {
    let home = try await CommandHome(loggedIn: true)
    let before = Books(home.database)
    var handle: OpaquePointer?
    try #require(sqlite3_open(home.database, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    try #require(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
    let session = FileManager.default.contents(atPath: home.sessionFile)
    // All wait in one shell, so they take one of the places for children.
    let crowd = try await Crowd(
      home,
      """
      run status status & run pay pay 1 --to bob & echo "$alice" | run login login alice --password-stdin &
      wait
      cat "$notes"/*.out
      """)
    let text = crowd.outcome.text
    for command in ["status", "pay", "login"] { #expect(crowd.all(command) == [3], "\(command): \(text)") }
    #expect(text.split(separator: "authority.db is busy: another process").count == 4, "\(text)")
    try #require(sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
    #expect(Books(home.database) == before)
    #expect(FileManager.default.contents(atPath: home.sessionFile) == session)
    #expect(try await home.run("pay 1 --to bob").ending == .exited(0))
  }

  @Test("four writers over different contexts lose nothing")
  func contexts() async throws {
    let home = try await CommandHome()
    for round in 1...5 {
      let crowd = try await Crowd(
        home,
        """
        for c in c1 c2 c3 c4; do (
          echo "$alice" | run login-$c login alice --context $c --password-stdin; run status-$c status --context $c
        ) & done
        """)
      #expect(crowd.all("") == [Int32](repeating: 0, count: 8), "round \(round): \(crowd.outcome.text)")
    }
    let sessions = try await home.run("sessions --json --context c1")
    for context in 1...4 { #expect(sessions.text.contains(#""context":"c\#(context)""#), "\(sessions.text)") }
    #expect(Books(home.database)?.liveSessions == 4)
  }

  @Test("sixteen logins of one user at once, each in a context of its own: all succeed")
  func oneUser() async throws {
    let home = try await CommandHome()
    let crowd = try await Crowd(
      home,
      """
      for c in $(seq 16); do (echo "$alice" | run login-$c login alice --context c$c --password-stdin) & done
      """)
    #expect(crowd.all("login-") == [Int32](repeating: 0, count: 16), "\(crowd.outcome.text)")
    #expect(Books(home.database)?.liveSessions == 16)
  }

  @Test("64 parallel wrong guesses count 64")
  func guesses() async throws {
    let home = try await CommandHome(loggedIn: true, executable: BuiltExecutable.shipped)
    let crowd = try await Crowd(
      home,
      """
      for g in $(seq 64); do
        echo 'not the right password' | run guess-$g login bob --context guess --password-stdin &
      done
      """)
    let statuses = crowd.all("guess-")
    #expect(statuses.count == 64 && statuses.allSatisfy { $0 == 5 || $0 == 6 }, "\(crowd.outcome.text)")
    #expect(statuses.count { $0 == 5 } == 5)
    let shown = try await home.run("accounts show bob --json")
    #expect(shown.text.contains(#""failed_attempts":64"#), "\(shown.text)")
    #expect(
      try await home.run("login bob --context guess --password-stdin", input: CommandHome.bob).ending
        == .exited(6))
  }

  @Test("four logins in one context, in rounds: each succeeds, and one session is left, which works")
  func sameContext() async throws {
    let home = try await CommandHome()
    for round in 1...(Effort.isComplete ? 25 : 6) {
      // Every other round begins logged out; in the others the four renew one session.
      if round.isMultiple(of: 2) { try await home.succeed("logout") }
      let crowd = try await Crowd(
        home,
        """
        for p in 1 2 3 4; do (echo "$alice" | run login-$p login alice --password-stdin) & done
        """)
      #expect(crowd.all("login-") == [0, 0, 0, 0], "round \(round): \(crowd.outcome.text)")
      #expect(try await home.run("status").ending == .exited(0), "round \(round)")
      let files = try FileManager.default.contentsOfDirectory(atPath: home.data).filter { $0.contains("session") }
      #expect(files == ["default.session"], "round \(round)")
      // Who lost the race for the file has no session left behind in the database.
      #expect(Books(home.database)?.liveSessions == 1, "round \(round)")
    }
  }
}
