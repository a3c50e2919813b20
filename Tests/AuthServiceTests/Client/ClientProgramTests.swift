import AuthBackend
import AuthCore
import Foundation
import Programs
import Races
import Services
import Synchronization
import Terminals
import Testing

@testable import AuthService

/// auth-cli at a service, as a person uses it.
@Suite struct ClientProgramTests {
  /// A person's home, and the service that the variable names.
  final class Person: Sendable {
    let home: String
    let authority: String

    init(_ authority: String) {
      self.authority = authority
      home = NSTemporaryDirectory() + "person-\(UInt32.random(in: 0 ... .max))"
      try? FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    func run(
      _ script: String, at authority: String? = nil, path: String = RunningService.products
    ) async throws -> ProgramOutcome {
      let environment = [
        "PATH": path + ":/usr/local/bin:/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8",
        "AUTH_CLI_AUTHORITY": authority ?? self.authority,
      ]
      return try await Program("bash", ["-c", script], environment: environment, timeLimit: .seconds(60)).run()
    }

    static let password = "echo '\(RunningService.password)' |"
  }

  @Test("the commands of a first day work at a service, and status says where the accounts are")
  func firstDay() async throws {
    let embedded = EmbeddedRules()
    try embedded.registerBoth()
    let service = try ServedRules(embedded.rules)
    let person = Person("unix:\(service.path)")
    let password = Person.password
    let before = try await person.run("auth-cli status")
    #expect(before.ending == .exited(1), "\(before.text)")
    for (line, status, words) in [
      ("\(password) auth-cli login alice --password-stdin", 0, "Logged in as alice"),
      ("auth-cli status", 0, "at \(service.path), on this machine. Only its administrators can administer it."),
      (
        "auth-cli status --json", 0,
        #""server":{"place":"\#(service.path)","database":"\#(service.identity)","encryption":null"#
      ),
      ("auth-cli home", 0, "Your balance is 100.00."),
      ("auth-cli pay 12.50 --to bob", 0, "Paid 12.50 to bob."),
      ("auth-cli receipts --json", 0, #""idempotency_key":null"#),
      ("auth-cli pay 12.50 --to nobody", 1, "there is no account"),
      ("auth-cli accounts list", 0, "bob"), ("auth-cli events", 0, "authn_login_success"),
      ("auth-cli contexts", 0, "alice"), ("auth-cli sessions", 0, "default"),
      ("echo 'not the right password' | auth-cli reauth --password-stdin", 5, "wrong"),
      ("auth-cli logout", 0, "Logged out alice."), ("auth-cli require", 4, "nobody is logged in"),
    ] {
      let outcome = try await person.run(line)
      #expect(outcome.ending == .exited(Int32(status)), "\(line): \(outcome.text)")
      #expect(outcome.text.contains(words), "\(line): \(outcome.text)")
    }
    #expect(try embedded.authority.logIn(EmbeddedRules.bob, limits: .standard).user.username == "bob")
  }

  @Test("watch tells of the end of the session that another process brings about")
  func watch() async throws {
    let embedded = EmbeddedRules()
    try embedded.registerBoth()
    let service = try ServedRules(embedded.rules)
    let person = Person("unix:\(service.path)")
    let outcome = try await person.run(
      """
      \(Person.password) auth-cli login alice --password-stdin
      auth-cli watch --until logged-out > "$HOME/seen" &
      until [ -s "$HOME/seen" ]; do :; done
      \(Person.password) auth-cli login alice --password-stdin --context other
      auth-cli logout --all --context other
      wait
      cat "$HOME/seen"
      """)
    #expect(outcome.text.contains("logged out: the session was ended by logging out"), "\(outcome.text)")
  }

  @Test("the full-screen program pays there, and closes its screens when another process ends the session")
  func app() async throws {
    let embedded = EmbeddedRules()
    try embedded.registerBoth()
    let service = try ServedRules(embedded.rules, keeping: embedded)
    let person = Person("unix:\(service.path)")
    let login = try await person.run("\(Person.password) auth-cli login alice --password-stdin")
    try #require(login.ending == .exited(0), "\(login.text)")
    let terminal = try PseudoTerminal()
    let products = RunningService.products
    let environment = [
      "HOME": person.home, "PATH": products + ":/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
      "AUTH_CLI_AUTHORITY": person.authority,
    ]
    let elsewhere = """
      { \(Person.password) auth-cli login alice --password-stdin --context other &&
        auth-cli logout --all --context other; } >/dev/null 2>&1
      """
    try await onOwnThread {
      let app = try terminal.launch([products + "/auth-cli", "app"], environment: environment)
      try terminal.expectScreen("Welcome, alice.")
      try terminal.send("2")
      try terminal.expectScreen("Your balance is 100.00.")
      try terminal.send("bob\r12.50\r")
      try terminal.expectScreen("Pay 12.50 to bob? After this you have 87.50. y/n")
      try terminal.send("y")
      try terminal.expectScreen("Paid 12.50 to bob.")
      let other = try TerminalProcess(["/bin/bash", "-c", elsewhere], environment: environment)
      #expect(try other.wait() == .exited(0))
      try terminal.expectScreen("[Log in]")
      terminal.hangUp()
      _ = try app.wait()
    }
  }

  @Test("a session of another service, or of the embedded database, is neither sent nor deleted")
  func otherDatabase() async throws {
    let embedded = EmbeddedRules()
    try embedded.registerBoth()
    let service = try ServedRules(embedded.rules)
    let other = TestService { peer, _ in
      let hello = ServiceHello(database: String(repeating: "f", count: 32), now: Samples.instant, policy: .standard)
      peer.send(.hello(hello))
      while let (number, _) = peer.request() { peer.send(.answer(number, now: nil, .done)) }
    }
    let person = Person("unix:\(service.path)")
    let login = try await person.run("\(Person.password) auth-cli login alice --password-stdin")
    #expect(login.ending == .exited(0), "\(login.text)")
    for authority in ["unix:\(other.path)", ""] {
      for command in ["status", "logout", "receipts"] {
        let outcome = try await person.run("auth-cli \(command)", at: authority)
        #expect(outcome.ending == .exited(3), "\(command): \(outcome.text)")
        #expect(outcome.text.contains("the database \(service.identity)"), "\(outcome.text)")
      }
    }
    let still = try await person.run("auth-cli status && auth-cli logout")
    #expect(still.ending == .exited(0) && still.text.contains("Logged out alice."), "\(still.text)")
    let embeddedLogin = try await person.run(
      "\(Person.password) auth-cli register carol --password-stdin && \(Person.password) auth-cli login carol --password-stdin",
      at: "")
    #expect(embeddedLogin.ending == .exited(0), "\(embeddedLogin.text)")
    let there = try await person.run("auth-cli status; auth-cli logout")
    #expect(there.ending == .exited(3) && there.text.contains("of the database on this machine"), "\(there.text)")
    let here = try await person.run("auth-cli status", at: "")
    #expect(here.ending == .exited(0), "\(here.text)")
  }

  @Test("without a service, or with an address that is none, nothing is changed and the message says why")
  func unreachable() async throws {
    let service = TestService { _, _ in }
    let person = Person("unix:\(service.path)")
    service.stop()
    for (authority, status, words) in [
      ("unix:\(service.path)", 3, "no service can be reached at \(service.path)"),
      ("unix:relative", 2, "does not name a service"), ("ssh://-oProxyCommand=false", 2, "does not name a service"),
    ] {
      for command in ["login x", "register x"] {
        let outcome = try await person.run("\(Person.password) auth-cli \(command) --password-stdin", at: authority)
        #expect(outcome.ending == .exited(Int32(status)), "\(authority): \(outcome.text)")
        #expect(outcome.text.contains(words), "\(authority): \(outcome.text)")
      }
    }
    let help = try await person.run("auth-cli help environment")
    #expect(help.ending == .exited(0) && help.text.contains("unix:"), "\(help.text)")
  }

  @Test("ssh is asked for auth-service connect, and how it failed is said")
  func ssh() async throws {
    let person = Person("ssh://alice@host:2222/run/s")
    let made = try await person.run(
      #"mkdir ~/bin; printf '#!/bin/bash\neval "$SSH_DOES"\n' > ~/bin/ssh; chmod +x ~/bin/ssh"#)
    #expect(made.ending == .exited(0), "\(made.text)")
    for (body, words) in [
      (
        #"echo "$@" > ~/arguments; echo ssh: connect to host port 22: Connection refused >&2; exit 255"#,
        "ssh could not reach the service at alice@host port 2222;"
      ),
      ("exit 127", "alice@host port 2222 has no auth-service"), ("exit 3", "ended with status 3"),
      ("echo Welcome to this machine", "was not understood"), ("kill -9 $$", "ended by a signal"),
    ] {
      let outcome = try await person.run(
        "export SSH_DOES='\(body)'; \(Person.password) auth-cli login x --password-stdin",
        path: person.home + "/bin:" + RunningService.products)
      #expect(outcome.ending == .exited(3), "\(outcome.text)")
      #expect(outcome.text.contains(words), "\(outcome.text)")
    }
    let arguments = try String(contentsOfFile: person.home + "/arguments", encoding: .utf8)
    #expect(
      arguments
        == "-T -o ConnectTimeout=10 -o BatchMode=yes -p 2222 -- alice@host auth-service connect --socket '/run/s'\n")
  }

  @Test("an ssh that reaches nobody in time ends with the command", .enabled(if: Effort.isComplete, "20 s"))
  func silentSSH() async throws {
    let person = Person("ssh://host")
    let outcome = try await person.run(
      #"""
      mkdir ~/bin; printf '#!/bin/bash\necho $$ >~/process; exec sleep 1000\n' > ~/bin/ssh; chmod +x ~/bin/ssh
      \#(Person.password) auth-cli login x --password-stdin
      timeout 20 tail --pid="$(cat ~/process)" -f /dev/null && echo ended
      """#, path: person.home + "/bin:" + RunningService.products)
    // Twice the time that ssh itself has to connect.
    #expect(outcome.text.contains("there was no answer within 20 s"), "\(outcome.text)")
    #expect(outcome.text.contains("ended\n"), "\(outcome.text)")
  }
}
