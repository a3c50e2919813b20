import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import Glibc
import Programs
import Races
import Terminals
import Testing
import TextFormat

@testable import AuthCLIProgram
@testable import AuthFullScreen
@testable import AuthScreens
@testable import CommandLineKit

/// What no story shows.
@Suite("Parts of the full-screen program", .timeLimit(.minutes(10)))
struct AppPartTests {
  @Test("a slow backend is asked for the last of the filters that were typed, and for nothing twice")
  func lastFilter() {
    var lane = AppLane()
    func load(_ text: String) -> AppEffect { .load(.receipts, isActivity: false, AppQuery(text: text)) }
    #expect(lane.add(load("b")) == load("b"))
    for effect in [AppEffect.check, load("bo"), .check, load("bob"), load("bob")] { #expect(lane.add(effect) == nil) }
    #expect(lane.finish() == .check && lane.finish() == load("bob") && lane.finish() == nil)
  }

  @Test("keys that were typed without a pause do not close an interruption, even if they are handled with one")
  func stoppedWhileTyping() {
    let state = AppState(columns: 80, rows: 24)
    state.interrupt(.reason("The session ended."))
    _ = state.update(.tick, at: .seconds(1))
    for (second, key) in [Key.character("x"), .enter].enumerated() {
      _ = state.update(.key(key), at: .seconds(2 + second))
      #expect(state.interruption != nil)
    }
    _ = state.update(.tick, at: .seconds(4))
    _ = state.update(.key(.enter), at: .seconds(5))
    #expect(state.interruption == nil)
  }

  @Test("only a login of a user whom the provider names can be confirmed")
  func unnamed() {
    for (id, isNamed) in [("https://id.example.com 1", true), ("login 7 at https://id.example.com", false)] {
      let state = AppState(columns: 80, rows: 24, provider: AppScenes.provider, canConfirm: \.isIdentified)
      let user = User(id: UserID(rawValue: id), username: "a", displayName: "A", role: .member)
      (state.button, state.isRestored) = (.logOut(user), true)
      #expect((state.page?.rows ?? []).contains { $0.choice == .authenticate } == isNamed)
    }
  }

  @Test("codes are written to a new file of this user alone, in a directory of this user; otherwise it says why not")
  func codesFile() throws {
    let folder = ShortFolder()
    func write(in home: String?) -> Result<String, FileError> { CodesFile.write("k3v9x\n", as: "codes", in: home) }
    #expect(symlink("elsewhere", folder.path + "/codes.txt") == 0)
    let path = try write(in: folder.path).get()
    #expect(path == folder.path + "/codes-2.txt")
    #expect(try TextFile.read(path) == "k3v9x\n")
    #expect(try FileFacts(of: path)?.mode == "0600")
    #expect(try FileFacts(of: folder.path + "/elsewhere") == nil)
    #expect(try write(in: folder.path).get() == folder.path + "/codes-3.txt")
    func problem(_ home: String?) -> String {
      if case .failure(let error) = write(in: home) { error.description } else { "" }
    }
    #expect(problem(folder.path + "/missing") == "\(folder.path)/missing cannot be opened: No such file or directory.")
    #expect(problem(nil) == "HOME names no directory: No such file or directory.")
    #expect(problem(path) == "\(path) is a regular file, not a directory.")
    #expect(geteuid() != 0 || chown(folder.path, 12_345, 12_345) == 0)
    #expect(geteuid() != 0 || problem(folder.path) == "\(folder.path) belongs to user id 12345, and this is user id 0.")
    #expect(geteuid() != 0 || chown(folder.path, 0, 0) == 0)
  }

  @Test("a column of the chart is a span of time, and shows the balance at its end")
  func chart() throws {
    let points = [(0, 100), (10, 300), (90, 800), (100, 0)].map {
      (at: WallTime(microseconds: Int64($0)), value: Int64($1))
    }
    #expect(Chart(points)?.lines(width: 5, height: 1) == ["⠤⠤⠤⠤⢿"])
    #expect(Chart(points)?.sparkline(width: 16) == "1.00 ▄▄▄▄▄▁ 0.00")
    #expect(Chart(points.map { (points[0].at, $0.value) })?.lines(width: 3, height: 1) == ["⣀⣀⣀"])
    let profile = Profile(user: AppScenes.alice, balance: 8750, createdAt: WallTime(microseconds: 0))
    let receipts = LoadedPage(
      of: AppPage.limit, from: Array(repeating: AppScenes.receipt(7, from: "alice", to: "bob"), count: 3))
    let chart = try #require(AppPage.receipts(receipts, of: profile).chart)
    #expect(chart.bounds == (8750, 8950) && chart.ends.0 == UTCTime(seconds: 0).local(.seconds).dropFirst(11))
    // The balance follows from all receipts only.
    #expect(AppPage.receipts(receipts, of: profile, query: AppQuery(text: "b")).chart == nil)
  }

  @Test("whom somebody paid, or was paid by, is in the names that complete a payee, once and without deleted accounts")
  func payees() {
    let receipts = [
      ("alice", "bob"), ("carol", "alice"), ("alice", "bob"), (nil, "alice"), ("alice", "deleted account"),
    ]
    .map { AppScenes.receipt(1, from: $0, to: $1) }
    let profile = Profile(user: AppScenes.alice, balance: 0, createdAt: WallTime(microseconds: 0))
    #expect(AppPage.pay(profile, receipts).names == ["bob", "carol"])
  }

  @Test(
    "how long ago something was",
    arguments: [(59, "just now"), (60, "1 min ago"), (7_200, "2 h ago"), (172_800, "2 days ago")])
  func ago(_ seconds: Int64, _ words: String) {
    #expect(Deadlines.ago(seconds) == words)
  }

  @Test("the end of a session and a wait are whole sentences, also with no limit and after the time has passed")
  func endings() throws {
    let clock = BootClock()
    let (now, deadlines) = (try clock.now(), try Deadlines(clock: clock))
    let (soon, past) = (Deadline.at(now.advanced(by: .seconds(601))), Deadline.at(now.advanced(by: .seconds(-5))))
    #expect(
      deadlines.ending(soon, soon) == "The session ends after 10 min without activity, and in 10 min at the latest.")
    #expect(deadlines.ending(past, .unknown) == "The session ends now.")
    #expect(deadlines.ending(soon) == "The session ends after 10 min without activity.")
    #expect(deadlines.ending(.never, soon) == "The session ends in 10 min.")
    #expect(deadlines.ending(.never) == "The session has no time limit.")
    #expect(CommandError(Throttle.wait(.seconds(-5))).hint.description == "Try again in 1 s.")
  }

  @Test("in little room times lose the year, long text its end, and columns are left out; a line below has it all")
  func columnsThatFit() {
    let columns: [Table.Column] = [.init(title: "TIME", unit: "UTC"), "EVENT", .cut("DETAIL"), "BY"]
    let cells = ["2026-11-21 20:00:59", "authn_login_success", "3 failed attempts before", "alice"]
    let natural = AppColumns.naturalWidths(columns, [AppRow(id: "row", cells: cells)])
    func line(_ width: Int) -> String { AppColumns(columns, naturalWidths: natural, width: width).line(cells) }
    #expect(line(73) == "2026-11-21 20:00:59  authn_login_success  3 failed attempts before  alice")
    #expect(line(68) == "11-21 20:00:59  authn_login_success  3 failed attempts before  alice")
    #expect(line(60) == "11-21 20:00:59  authn_login_success  3 failed attemp…  alice")
    #expect(line(50) == "11-21 20:00:59  authn_login_success  3 failed att…")
    #expect(line(35) == "11-21 20:00:59  authn_login_success")
    let narrow = AppColumns(columns, naturalWidths: natural, width: 50)
    #expect(narrow.heading == "TIME (UTC)      EVENT                DETAIL       ")
    #expect(
      narrow.rest(of: cells, thisYear: "2027")
        == ["detail 3 failed attempts before", "by alice", "time 2026-11-21 20:00:59 UTC"])
    #expect(narrow.rest(of: cells, thisYear: "2026") == ["detail 3 failed attempts before", "by alice"])
    #expect(!narrow.isWhole && AppColumns(columns, naturalWidths: natural, width: 68).isWhole)
    #expect(AppColumns(columns, naturalWidths: natural, width: 73).rest(of: cells, thisYear: "2027") == [])
  }

  @Test("every way from one state to another has an arrow in the diagram, and no other has")
  func arrows() throws {
    let table = MachineTable.shipped
    let view = MachineView(present: .loggedIn, events: table.events(from:to:), steps: [])
    let lines = view.diagram().map { parts in parts.flatMap { $0.text.map(\.light) } }
    let kinds = SessionState.Kind.allCases
    let edge = try #require(lines[0].firstIndex(of: "┐"))
    for (from, source) in kinds.enumerated() {
      let row = 2 * from + 1
      // Each joint leads along its lane, up or down, to the one state above which the lane ends.
      let joints = lines[row].indices.filter { $0 > edge && "┬┐┤┼┴┘".contains(lines[row][$0]) }
      let reached = joints.flatMap { column in
        kinds.enumerated().filter { to, _ in
          let between = to > from ? row + 1..<2 * to : 2 * to + 1..<row
          return "┐┘┤".contains(lines[2 * to][column]) && (to > from ? "┬┐┤┼" : "┤┼┴┘").contains(lines[row][column])
            && between.allSatisfy { "│┤┼┬┴┐┘".contains(lines[$0][column]) }
        }
      }
      let wanted = kinds.filter { $0 != source && !table.events(from: source.rawValue, to: $0.rawValue).isEmpty }
      #expect(reached.map(\.element) == wanted, "\(source.rawValue)")
    }
  }

  @Test(
    "the wires that leave the current state, and no others, are heavy and bold", arguments: SessionState.Kind.allCases)
  func ways(_ present: SessionState.Kind) throws {
    let table = MachineTable.shipped
    let view = MachineView(present: present, events: table.events(from:to:), steps: [])
    let kinds = SessionState.Kind.allCases
    let lines = view.diagram()
    // The first part of a line is the box of the state.
    let wires = lines.map { $0.dropFirst() }
    for part in wires.joined() where !part.text.allSatisfy({ $0 == " " || $0 == "◀" }) {
      #expect(part.text.contains { $0.light != $0 } == (part.style == .strong), "\(part)")
    }
    for (to, kind) in kinds.enumerated() {
      let isNext = kind != present && !table.events(from: present.rawValue, to: kind.rawValue).isEmpty
      let head = wires[2 * to].first { $0.text.contains("◀") }
      #expect((head?.style == .strong) == isNext, "\(kind.rawValue)")
      // A wire of another state is faint where it starts.
      let start = try #require(wires[2 * to + 1].first { $0.text.contains { "─━╼╾".contains($0) } })
      #expect((start.style == .strong) == (kind == present), "\(kind.rawValue)")
    }
  }

  @Test("random keys and news: it never traps, and without a session no guarded tab is open")
  func random() throws {
    let (_, sessions) = try #require(AppScenes.page(["sessions"]))
    var random = SeededGenerator(seed: 11)
    let keys = "⏎⎋⇥⇤↑↓←→⇱⇲⇞⇟⌫⌦⍰ynl/?m12358\u{301}".unicodeScalars.map { String($0) } + ["^w", "^u"]
    for _ in 0..<(Effort.isComplete ? 200 : 40) {
      let state = try AppStory.end(
        of: ["start nobody"], columns: .random(in: 1...90, using: &random), rows: .random(in: 1...30, using: &random))
      for _ in 0..<80 {
        let message: AppMessage? =
          switch Int.random(in: 0..<12, using: &random) {
          case 0: .button(.logOut(AppScenes.alice))
          case 1: .button(.logIn)
          case 2: .dismissed("the session was revoked")
          case 3: .loaded(state.tab, .success(sessions))
          case 4: state.work.map { .finished($0, .success(AppResult(done: "Done."))) } ?? .checked(nil)
          case 5: state.work.map { .finished($0, .failure(CommandError(code: .passwordNotRecent))) } ?? .checked(nil)
          case 6: .key(.paste(PastedText("日本")))
          case _: nil
          }
        let effects = message.map { state.update($0) } ?? state.press(keys.randomElement(using: &random) ?? "")
        if effects.contains(.quit) { break }
        #expect(state.user != nil || !state.tab.isGuarded)
        _ = state.frame
      }
    }
  }
}

extension Character {
  /// The same line with light strokes in place of heavy ones.
  fileprivate var light: Character {
    guard let index = MachineView.signs.firstIndex(of: self) else { return self }
    let sides = [1, 3, 9, 27].map { side in index / side % 3 > 0 ? side : 0 }
    return MachineView.signs[sides.reduce(0, +)]
  }
}
