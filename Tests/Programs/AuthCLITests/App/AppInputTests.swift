import Foundation
import Terminals
import Testing

/// Keys and pastes that arrive in an unusual way, and codes that are shown once.
@Suite("Input of the full-screen program", .timeLimit(.minutes(10)))
struct AppInputTests {
  @Test(
    "a terminal that reports keys by numbers all the same is understood, also its keys for signals",
    arguments: [
      ("\u{1B}[108;1u\u{1B}[97;1:1u\u{1B}[97;1:3u\u{1B}[27u", "\u{1B}[99;5u"),
      ("\u{1B}[27;1;108~a\u{1B}[27;1;27~", "\u{1B}[27;5;99~"),
      ("la\u{1B}[27u", "\u{3}"),
    ])
  func reportedKeys(_ typed: String, _ last: String) async throws {
    let (end, _) = try await CommandHome(registered: false).play("app") { terminal in
      try terminal.expectScreen("Nobody is logged in.")
      try terminal.send(typed)
      try terminal.expectScreen("Esc again leaves") { $0.text.contains("[a ") && $0.text.contains("Esc again leaves") }
      try terminal.send(last)
    }
    #expect(end == .signalled(SIGINT))
  }

  @Test("an arrow key whose bytes come one by one, with pauses, loses nothing that was typed")
  func slowArrow() async throws {
    try await playApp { terminal in
      try terminal.send("lalice\r\r")
      try terminal.expectScreen("Password is empty.")
      try terminal.send("\u{1B}")
      // A pause: Escape is a key by then.
      try terminal.expectScreen("Esc again leaves")
      try terminal.send("[A")
      let screen = try terminal.expectScreen("the field above") { $0.text.contains("[alice ") }
      #expect(!screen.text.contains("Esc again leaves"))
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Esc again leaves")
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Welcome. Nobody is logged in.")
    }
  }

  @Test("a paste without its end takes no more keys than those before a pause")
  func endlessPaste() async throws {
    try await playApp { terminal in
      try terminal.send("l\u{1B}[200~alice")
      try terminal.expectScreen("has no end. Nothing was inserted.")
      try terminal.send("bob")
      try terminal.expectScreen("[bob ")
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Esc again leaves")
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Welcome. Nobody is logged in.")
    }
  }

  @Test("codes can be selected with the mouse, copied, and written to a new file that only the user can read")
  func keepsCodes() async throws {
    let home = try await CommandHome(loggedIn: true)
    let (first, second) = (home.file("auth-cli-recovery-codes.txt"), home.file("auth-cli-recovery-codes-2.txt"))
    try "mine\n".write(toFile: first, atomically: false, encoding: .utf8)
    let (_, shown) = try await home.play("app") { terminal in
      try terminal.expectScreen("Welcome, alice.")
      #expect(try terminal.screen().modes.isSuperset(of: [1000, 1006]))
      try terminal.showCodes()
      try terminal.expectScreen("Esc close")
      #expect(try terminal.screen().modes.isDisjoint(with: [1000, 1006]))
      try terminal.send("y")
      try terminal.expectScreen("Asked your terminal to copy it.")
      try terminal.expectScreen("Esc close")
      try terminal.send("w")
      try terminal.expectScreen("Written to \(second)") {
        // The line may be broken anywhere: the length of the path depends on where the tests run.
        $0.frame.lines.joined(separator: " ").filter { $0 != " " }.contains("Writtento\(second),whichonly")
      }
      try terminal.expectScreen("Esc close")
      try terminal.send("\r")
      try terminal.expectScreen("You have new recovery codes.")
      #expect(try terminal.screen().modes.isSuperset(of: [1000, 1006]))
      try terminal.send("q")
    }
    let codes = try TextFile.read(second)
    #expect(
      try TextFile.read(first) == "mine\n" && codes.split(separator: "\n").filter { String($0).hasCodes }.count == 10)
    #expect(try FileManager.default.attributesOfItem(atPath: second)[.posixPermissions] as? Int == 0o600)
    let copied = Data(codes.dropLast().utf8).base64EncodedString()
    #expect(shown.contains("\u{1B}]52;c;\(copied)\u{7}"))
  }
}
