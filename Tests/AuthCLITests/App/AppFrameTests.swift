import AuthCore
import AuthMessages
import CommandLineKit
import Programs
import Testing

@testable import AuthProgram

@Suite("Frames of the full-screen program")
struct AppFrameTests {
  /// A state in every size.
  struct Scene: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (Int, Int) -> AppState

    /// A state at the start, and what happens then.
    init(
      _ name: String, _ start: @escaping @Sendable (Int, Int) -> AppState,
      _ story: @escaping @Sendable (AppState) -> Void = { _ in }
    ) {
      self.name = name
      make = { columns, rows in
        let state = start(columns, rows)
        story(state)
        return state
      }
    }

    var testDescription: String { name }
  }

  static let sizes = [(20, 5), (40, 10), (80, 24), (120, 40), (200, 60)]

  static let scenes: [Scene] = [
    Scene("home-logged-out") { AppScenes.loggedOut($0, $1) },
    Scene("home-without-accounts", { AppState(columns: $0, rows: $1) }) { state in
      _ = state.update(.looked(nil, isEmpty: true))
    },
    Scene("recovery-codes", { AppScenes.loggedIn($0, $1) }) { state in
      _ = state.update(
        .finished(
          .makeRecoveryCodes, .success(AppOutcome("You have new recovery codes.", next: .show(AppScenes.codes)))))
    },
    Scene("second-step", { AppScenes.loggedIn($0, $1) }) { state in
      let secret = AppSecret(
        text: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        picture: Array(repeating: String(repeating: "█", count: 37), count: 19))
      _ = state.perform(.beginTwoStep)
      _ = state.update(.finished(.beginTwoStep, .success(AppOutcome("", next: .fill(.confirmTwoStep(secret))))))
    },
    Scene("home-logged-in") { AppScenes.loggedIn($0, $1) },
    Scene("receipts", { AppScenes.showingReceipts($0, $1) }) { state in
      for _ in 0..<3 { state.type("↓") }
    },
    Scene("receipts-filtered", { AppScenes.showingReceipts($0, $1) }) { state in
      let page = AppScenes.receipts.with(AppScenes.receipts.rows, part: "the newest 500")
      _ = state.update(.loaded(.receipts, .success(page)))
      state.type("/日本")
    },
    Scene("login-refused", { AppScenes.loggedOut($0, $1) }) { state in
      state.type("3alice\nwrong\n")
      let problem = CommandError(
        .no, "throttled", "Too many failed attempts, so this one was not looked at.",
        hint: "Try again in 30 s.")
      let action = AppAction.logIn(Credentials.password(username: "alice", password: Secret("wrong")))
      _ = state.update(.finished(action, .failure(problem)))
    },
    Scene("paying", { AppScenes.loggedIn($0, $1) }) { state in
      state.type("2bob")
      _ = state.update(.loaded(.pay, .success(AppPage(lines: ["Your balance is 87.50."]))))
      state.type("\n12.50\ny")
      state.wait(.seconds(3))
    },
    Scene("paying-question", { AppState(columns: $0, rows: $1, context: "laptop") }) { state in
      _ = state.update(.button(.logOut(AppScenes.alice)))
      state.type("2bob")
      _ = state.update(.loaded(.pay, .success(AppPage(lines: ["Your balance is 87.50."], balance: 8750))))
      state.type("\n12.50\n")
    },
    Scene("session-ending", { AppScenes.showingReceipts($0, $1) }) { state in
      _ = state.update(.ends(in: .seconds(42), isIdle: true))
    },
    Scene("paying-completed", { AppScenes.loggedIn($0, $1) }) { state in
      let page = AppPage(lines: ["Your balance is 87.50."], balance: 8750, names: ["bob", "carol"])
      state.type("2")
      _ = state.update(.loaded(.pay, .success(page)))
      state.type("ca")
    },
    Scene("money-arrived", { AppScenes.loggedIn($0, $1) }) { state in
      state.type("3")
      let older = AppScenes.receipts.with(Array(AppScenes.receipts.rows.dropFirst(2)))
      for page in [older, AppScenes.receipts] { _ = state.update(.loaded(.receipts, .success(page))) }
    },
    Scene("receipt", { AppScenes.showingReceipts($0, $1) }) { state in
      state.type("↓\n")
    },
    Scene("sessions-question", { AppScenes.loggedIn($0, $1) }) { state in
      state.type("5")
      _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
      state.type("↓e")
    },
    Scene("events", { AppScenes.loggedIn($0, $1) }) { state in
      state.type("6")
      _ = state.update(.loaded(.events, .success(AppScenes.events)))
      for _ in 0..<2 { state.type("↓") }
    },
    Scene("accounts") { AppScenes.showingAccounts($0, $1, below: 4) },
    Scene("account", { AppScenes.showingAccounts($0, $1, below: 4) }) { state in
      state.type("\n")
    },
    Scene("account-of-last-administrator", { AppScenes.showingAccounts($0, $1, below: 3) }) { state in
      state.type("\n")
    },
    Scene("account-question", { AppScenes.showingAccounts($0, $1, below: 4) }) { state in
      for key in [Key.enter, .end, .up, .enter] { _ = state.update(.key(key)) }
    },
    Scene("account-deletion", { AppScenes.showingAccounts($0, $1, below: 4) }) { state in
      for key in [Key.enter, .end, .enter] { _ = state.update(.key(key)) }
      state.type("alice\n")
    },
    Scene("one-time-code", { AppScenes.showingAccounts($0, $1, below: 4) }) { state in
      let action = AppAction.administer(.resetPassword("bob"))
      _ = state.update(
        .finished(action, .success(AppOutcome("A one-time code for bob is made.", next: .show(.code(AppScenes.code))))))
    },
    Scene("ended-elsewhere", { AppScenes.showingReceipts($0, $1) }) { state in
      _ = state.update(.dismissed("You were logged out in another terminal."))
      _ = state.update(.button(.logIn))
    },
    Scene("machine", { AppScenes.loggedIn($0, $1) }) { state in
      state.type("m")
      let steps = [
        MachineStep(event: "restore", from: .restoring, to: .restoring, answer: .transition),
        MachineStep(event: "restored", from: .restoring, to: .loggedOut, answer: .transition),
        MachineStep(event: "renew", from: .loggedOut, to: .loggedOut, answer: .rejected(.notLoggedIn)),
        MachineStep(event: "logIn", from: .loggedOut, to: .authenticating, answer: .transition),
        MachineStep(event: "authenticated", from: .authenticating, to: .authenticating, answer: .transition),
        MachineStep(event: "saved", from: .authenticating, to: .loggedIn, answer: .transition),
        MachineStep(event: "renew", from: .loggedIn, to: .loggedIn, answer: .ignored(.renewedRecently)),
      ]
      let times = steps.indices.map { "20:59:0\($0)" }
      let view = MachineView(present: .loggedIn, table: .shipped, steps: steps, times: times)
      _ = state.update(.loaded(.machine, .success(AppPage(machine: view))))
    },
    Scene("help", { AppScenes.showingReceipts($0, $1) }) { state in
      state.type("?")
    },
    Scene("help-of-form", { AppScenes.loggedOut($0, $1) }) { state in
      state.type("l")
      _ = state.update(.key(.help))
    },
  ]

  @Test("the screen in sizes from 20 by 5 to 200 by 60", arguments: scenes)
  func golden(_ scene: Scene) throws {
    let frames = Self.sizes.map { scene.make($0, $1).frame.golden }
    try Golden.expect(frames.joined(separator: "\n"), equals: "app/\(scene.name).txt")
  }

  @Test("no size is too small or too large to draw, and every row fits", arguments: Effort.sample(scenes, 8))
  func everySize(_ scene: Scene) {
    var sizes = [(500, 3), (500, 13), (73, 100), (500, 100)]
    for columns in [1, 2, 7, 19, 20, 21, 71, 72, 73] {
      sizes += [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13].map { (columns, $0) }
    }
    let wrong = sizes.filter { columns, rows in
      let lines = scene.make(columns, rows).frame.lines
      return lines.count != rows || lines.contains { DisplayWidth.columns($0) > columns }
    }
    #expect(wrong.isEmpty)
  }

  @Test("what is selected is marked by a sign in the text, not by style alone")
  func marked() {
    let state = AppScenes.showingReceipts()
    #expect(state.frame.lines.filter { $0.hasPrefix(">") }.count == 1)
    #expect(state.frame.lines[1].contains("[3 Receipts]"))
  }

  /// Below the list of events there is also the text that the row has no room for.
  @Test(
    "one step in a list of 80 columns costs at most 200 bytes, and 300 with lines below it",
    arguments: [("receipts", 200), ("accounts", 200), ("events", 300)])
  func smallStep(_ name: String, _ most: Int) throws {
    let state = try #require(Self.scenes.first { $0.name == name }).make(80, 24)
    for key in [Key.home] + Array(repeating: .down, count: 12) {
      let before = state.frame
      _ = state.update(.key(key))
      let bytes = FrameDiff.bytes(from: before, to: state.frame, colors: true)
      #expect(bytes.count <= most || key == .home, "\(bytes.count) bytes: \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test("the details of a row say all of it also in 40 by 10")
  func smallDetails() {
    let state = AppScenes.loggedIn(40, 10)
    state.type("6")
    _ = state.update(.loaded(.events, .success(AppScenes.events)))
    state.type("↓\n")
    let text = state.frame.lines.joined(separator: " ")
    for part in ["TIME", "EVENT authn_login_successafterfail", "SESSION p7c2m4x0e5ta", "3 failed attempts", "> Copy"] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test("a password that is typed is in no frame and in no description")
  func secret() {
    let state = AppScenes.loggedOut()
    state.type("lalice\nhunter2-and-more")
    #expect(!state.frame.golden.contains("hunter2"))
    #expect(state.frame.golden.contains("(typed, not shown)"))
    var text = ""
    dump(state, to: &text)
    #expect(!text.contains("hunter2"))
    let effect = state.type("\n")
    #expect(effect != nil)
    dump(effect, to: &text)
    dump(state, to: &text)
    #expect(!"\(String(describing: effect)) \(text)".contains("hunter2"))
  }

  @Test("names from outside cannot draw on the screen")
  func escaped() {
    let user = User(
      id: UserID(rawValue: "2"), username: "mallory", displayName: "\u{1B}[2J\u{202E}evil\r", role: .member)
    let lines = AppScenes.loggedIn(as: user).frame.lines
    #expect(lines.contains { $0.contains("\\u{1B}[2J\\u{202E}evil\\r") })
  }
}
