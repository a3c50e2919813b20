import AuthBackend
import AuthCore
import Terminals
import Testing
import TextFormat

@testable import AuthProgram
@testable import CommandLineKit

/// The navigation bar at the head of every screen, on a real pseudo-terminal.
@Suite("The navigation bar", .timeLimit(.minutes(10)))
struct BarTests {
  /// What a command shows on a terminal of that width, line by line.
  private func show(
    _ line: String, in home: CommandHome, columns: Int = 80, adding variables: [String: String] = [:]
  ) async throws -> [String] {
    let (end, shown) = try await home.play(line, columns: columns, adding: variables)
    try #require(end == .exited(0), "\(shown)")
    return shown.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("it says who is logged in, and has no button: nobody can press one of a command that has ended")
  func account() async throws {
    let home = try await CommandHome(loggedIn: true)
    #expect(try await show("profile --name Alicia", in: home)[0].hasSuffix("  alice"))
    try await home.succeed("logout")
    #expect(try await show("home", in: home)[0].hasSuffix("  not logged in"))
  }

  @Test(
    "nothing but plain text with NO_COLOR, a dumb terminal or --no-color",
    arguments: [
      ("home", "NO_COLOR", "1"), ("home", "TERM", "dumb"), ("home", "TERM", ""), ("home --no-color", "TERM", "xterm"),
    ])
  func plain(_ line: String, _ variable: String, _ value: String) async throws {
    let home = try await CommandHome(registered: false)
    let lines = try await show(line, in: home, adding: [variable: value])
    #expect(lines[0] == "Home" + String(repeating: " ", count: 63) + "not logged in")
    #expect(!lines.joined().contains("\u{1B}"))
  }

  @Test("an empty NO_COLOR is none")
  func emptyNoColor() async throws {
    let home = try await CommandHome(registered: false)
    #expect(try await show("home", in: home, adding: ["NO_COLOR": ""])[0].contains("\u{1B}[1m"))
  }

  @Test("there is no bar in JSON and none with --quiet")
  func noBar() async throws {
    let home = try await CommandHome(registered: false)
    #expect(
      try await show("home --json", in: home)[0] == #"{"version":1,"logged_in":false,"user":null,"balance":null}"#)
    #expect(try await show("home --quiet", in: home) == [""])
  }

  @Test("on a narrow terminal the title gives way, then the account")
  func narrow() async throws {
    let home = try await CommandHome(loggedIn: true)
    for (columns, bar) in [
      (14, "Profile  alice"), (13, "Profile alice"), (12, "Profi… alice"), (7, "… alice"), (5, "alice"), (4, "ali…"),
    ] {
      #expect(try await show("profile --no-color", in: home, columns: columns)[0] == bar, "\(columns)")
    }
  }

  @Test("the button of the full-screen program stays whole, and the account gives way first, then the title")
  func button() {
    let button = NavigationBar.Button.logOut(
      User(id: UserID(rawValue: "u1"), username: "alice", displayName: "Alice", role: .member))
    for (columns, bar) in [
      (26, "Profile   alice  [Log out]"), (25, "Profile  alice  [Log out]"), (24, "Profile  ali…  [Log out]"),
      (22, "Profile  a…  [Log out]"), (21, "Profile     [Log out]"), (16, "Profi… [Log out]"), (9, "[Log out]"),
      (5, "[Log…"),
    ] {
      #expect(Bar(title: "Profile", button: button).line(width: columns, style: .plain) == bar, "\(columns)")
    }
  }

  @Test("where the title has no room, nothing is sent in its place")
  func noTitle() async throws {
    let home = try await CommandHome(registered: false)
    #expect(try await show("home", in: home, columns: 2)[0] == "n…")
  }

  @Test("tables fit the terminal")
  func tables() async throws {
    let home = try await CommandHome(loggedIn: true)
    try await home.succeed("profile --name 李雷李雷李雷李雷李雷李雷李雷李雷李雷李雷李雷李雷")
    for line in ["accounts list --no-color", "receipts --no-color", "events --no-color"] {
      for text in try await show(line, in: home, columns: 72) { #expect(DisplayWidth.columns(text) <= 72, "\(text)") }
    }
    // At the usual width nothing that people need is shortened.
    for line in ["sessions --no-color", "receipts --no-color"] {
      let lines = try await show(line, in: home)
      #expect(lines.allSatisfy { !$0.contains("…") && DisplayWidth.columns($0) <= 80 }, "\(lines)")
    }
  }
}
