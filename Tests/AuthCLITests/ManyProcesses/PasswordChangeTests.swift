import Programs
import Races
import Terminals
import Testing

/// Two processes that change the password of one session at the same time.
@Suite("Two password changes at once", .serialized, .timeLimit(.minutes(10)))
struct PasswordChangeTests {
  private static let new = ["quiet meadow copper lantern", "silver canyon wooden bicycle"]

  @Test("a change is refused when another one overtakes it at its prompt, and the other password holds")
  func overtaken() async throws {
    let home = try await CommandHome(loggedIn: true)
    let (terminal, other) = (try PseudoTerminal(), try PseudoTerminal())
    let present = CommandHome.alice
    let lines = "printf '%s\\n' '\(present)' '\(Self.new[0])'"
    try await onOwnThread {
      let late = try terminal.launch(home.words("password"), environment: home.environment)
      try terminal.expect("Password for alice: ")
      try terminal.send(present + "\n")
      try terminal.expect("characters): ")
      let first = try other.launch(
        ["/bin/sh", "-c", "\(lines) | '\(BuiltExecutable.cheap)' password --password-stdin"],
        environment: home.environment)
      try other.expect("is changed")
      #expect(try first.wait() == .exited(0))
      for question in [": ", "\n"] {
        try terminal.send(Self.new[1] + "\n")
        try terminal.expect(question)
      }
      try terminal.expect("was changed elsewhere at the same time; your new one was not set")
      #expect(try late.wait() == .exited(1))
    }
    #expect(try await home.run("status").ending == .exited(0))
    let logins = try await (
      home.run("login alice --context a --password-stdin", input: Self.new[0]),
      home.run("login alice --context b --password-stdin", input: Self.new[1])
    )
    #expect(logins.0.ending == .exited(0) && logins.1.ending == .exited(5), "\(logins.0.text)\(logins.1.text)")
  }

  @Test("of two changes that start together exactly one is made, and its password is the one that opens the account")
  func together() async throws {
    let home = try await CommandHome(loggedIn: true)
    var present = CommandHome.alice
    for round in 1...5 {
      let new = Self.new.map { "\($0) \(round)" }
      let crowd = try await Crowd(
        home,
        """
        printf '%s\\n' '\(present)' '\(new[0])' | run change-0 password --password-stdin &
        printf '%s\\n' '\(present)' '\(new[1])' | run change-1 password --password-stdin &
        """)
      let statuses = (crowd.all("change-0"), crowd.all("change-1"))
      let winner = statuses.0 == [0] ? 0 : 1
      let loser = winner == 0 ? statuses.1 : statuses.0
      #expect((winner == 0 ? statuses.0 : statuses.1) == [0], "\(crowd.outcome.text)")
      // Too late when it asked whether its present password is right, or after that.
      #expect(loser == [1] || loser == [5], "\(loser) \(crowd.outcome.text)")
      present = new[winner]
      try await home.succeed("login alice --context look", password: present)
    }
  }
}
