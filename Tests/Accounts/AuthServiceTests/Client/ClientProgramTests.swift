import AuthAccounts
import AuthCore
import Foundation
import Programs
import Races
import Services
import Terminals
import Testing

@testable import AuthService

/// auth-cli at a service, as a person uses it.
@Suite(.timeLimit(.minutes(10))) struct ClientProgramTests {
  /// What types the password of everyone.
  static let password = "echo '\(RunningService.password)' |"

  @Test("the full-screen program pays there, and closes its screens when another process ends the session")
  func app() async throws {
    let embedded = try Workspace.inhabited(isShared: true).work
    let service = try ServedRules(embedded.rules)
    let home = ShortFolder()
    let products = LeastCost.products
    let environment = [
      "HOME": home.path, "PATH": products + ":/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
      "AUTH_CLI_AUTHORITY": service.address,
    ]
    try await bash("\(Self.password) auth-cli login alice --password-stdin", environment)
    let terminal = try PseudoTerminal()
    let elsewhere = """
      { \(Self.password) auth-cli login alice --password-stdin --context other &&
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

  @Test(
    "an ssh that reaches nobody in time ends with the command",
    .enabled(if: Effort.isComplete, "takes 20 s; make test-all runs it"))
  func silentSSH() async throws {
    let home = ShortFolder()
    // Twice the time that ssh itself has to connect.
    try await bash(
      #"""
      mkdir ~/bin; printf '#!/bin/bash\necho $$ >~/process; exec sleep 1000\n' > ~/bin/ssh; chmod +x ~/bin/ssh
      PATH=~/bin:$PATH
      ! \#(Self.password) auth-cli login x --password-stdin
      timeout 20 tail --pid="$(cat ~/process)" -f /dev/null && echo ended
      """#, ["HOME": home.path, "AUTH_CLI_AUTHORITY": "ssh://host"],
      printing: "there was no answer within 20 s", "ended\n")
  }
}
