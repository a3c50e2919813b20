import AuthBackend
import AuthCore
import CommandLineKit
import Races
import Testing

@testable import AuthProgram

@Suite("What the full-screen program makes of keys and news")
struct AppUpdateTests {
  private static let credentials = Credentials(username: "alice", password: Password("correct horse battery"))

  @Test("without a session a guarded tab asks to log in, and opens afterwards")
  func guarded() {
    for (digit, tab) in zip(2...6, [AppTab.pay, .receipts, .profile, .sessions, .events]) {
      var state = AppScenes.loggedOut()
      #expect(state.update(.key(.character(Unicode.Scalar(UInt8(0x30 + digit))))) == [])
      #expect(state.tab == .home)
      #expect(state.form?.purpose == .logIn(then: tab))
      AppScenes.type("alice", into: &state)
      #expect(state.update(.key(.enter)) == [])
      AppScenes.type("correct horse battery", into: &state)
      #expect(state.update(.key(.enter)) == [.perform(.logIn(Self.credentials))])
      _ = state.update(.button(.logOut(AppScenes.alice)))
      let effects = state.update(.finished(.logIn(Self.credentials), .success("Logged in as alice.")))
      #expect(effects == [.load(tab, isActivity: true)])
      #expect(state.tab == tab)
      #expect(state.notice?.text == "Logged in as alice.")
    }
  }

  @Test("Esc leaves the form, and nobody is logged in")
  func cancel() {
    var state = AppScenes.loggedOut()
    AppScenes.type("3ali", into: &state)
    #expect(state.update(.key(.escape)) == [])
    #expect(state.form == nil)
    #expect(state.tab == .home)
  }

  @Test("while a password is checked no second one is sent, and Esc leaves without stopping the check")
  func oneAtATime() {
    var state = AppScenes.loggedOut()
    AppScenes.type("lalice", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("correct horse battery", into: &state)
    #expect(state.update(.key(.enter)).count == 1)
    #expect(state.update(.key(.enter)) == [])
    #expect(state.update(.key(.character("x"))) == [])
    #expect(state.update(.key(.escape)) == [])
    #expect(state.form == nil)
    AppScenes.type("lbob", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("another password", into: &state)
    #expect(state.update(.key(.enter)) == [])
    #expect(state.work?.action == .logIn(Self.credentials))
  }

  @Test("a refused password is forgotten, and the reason is in the form")
  func refused() {
    var state = AppScenes.loggedOut()
    AppScenes.type("lalice", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("wrong", into: &state)
    _ = state.update(.key(.enter))
    let problem = AppProblem(code: "credentials_not_accepted", message: "Not accepted.", hint: "Try again.")
    _ = state.update(.finished(.logIn(Self.credentials), .failure(problem)))
    #expect(state.form?.problem == problem)
    #expect(state.form?.fields.map(\.input.text) == ["alice", ""])
    #expect(state.form?.focus == 1)
    #expect(state.work == nil)
  }

  @Test("a payment that needs the password asks for it, and then is the same payment")
  func reauthenticates() {
    var state = AppScenes.loggedIn()
    AppScenes.type("2bob", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("12.50", into: &state)
    let payment = AppScenes.payment
    #expect(state.update(.key(.enter)) == [])
    #expect(state.update(.key(.character("y"))) == [.perform(payment)])
    let stale = AppProblem(code: "password_not_recent", message: "Too long ago.", hint: "")
    #expect(state.update(.finished(payment, .failure(stale))) == [])
    #expect(state.form?.purpose == .reauthenticate(then: payment))
    AppScenes.type("correct horse battery", into: &state)
    let password = AppAction.reauthenticate(Password("correct horse battery"))
    #expect(state.update(.key(.enter)) == [.perform(password)])
    #expect(state.update(.finished(password, .success("Confirmed."))) == [.perform(payment)])
    #expect(state.form?.purpose == .pay(number: 1))
    let paid = state.update(.finished(payment, .success("Paid 12.50 to bob. Receipt 7.")))
    #expect(paid == [.load(.pay, isActivity: false)])
    #expect(state.notice?.text == "Paid 12.50 to bob. Receipt 7.")
    // The next one is another.
    #expect(state.form?.purpose == .pay(number: 2))
    #expect(state.form?.fields.map(\.input.text) == ["", ""])
  }

  @Test("Esc at the password brings the payment back as it was typed")
  func keepsPayment() {
    var state = AppScenes.loggedIn()
    AppScenes.type("2bob", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("12.50", into: &state)
    for key in [Key.enter, .character("y")] { _ = state.update(.key(key)) }
    let payment = AppScenes.payment
    let stale = AppProblem(code: "password_not_recent", message: "", hint: "")
    _ = state.update(.finished(payment, .failure(stale)))
    _ = state.update(.key(.escape))
    #expect(state.form?.fields.map(\.input.text) == ["bob", "12.50"])
  }

  @Test(
    "a session that ends elsewhere closes what belongs to it, and Home says why",
    arguments: [
      AppTab.pay, .receipts, .profile, .sessions, .events, .accounts,
    ])
  func dismissed(_ tab: AppTab) throws {
    var state = AppScenes.loggedIn()
    let number = try #require(state.tabs.firstIndex(of: tab)) + 1
    AppScenes.type("\(number)", into: &state)
    #expect(state.tab == tab)
    if tab == .sessions {
      _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
      _ = state.update(.key(.enter))
      #expect(state.question != nil)
    }
    _ = state.update(.dismissed("You are logged out: the session was revoked."))
    _ = state.update(.button(.logIn))
    #expect(state.tab == .home)
    #expect(state.form == nil && state.question == nil && state.pages.isEmpty)
    #expect(state.notice?.text == "You are logged out: the session was revoked.")
    // What was being loaded meanwhile comes too late.
    let late = AppProblem(code: "session_ended", message: "The session was revoked.", hint: "Log in again.")
    for result in [Result.failure(late), .success(AppScenes.receipts)] { _ = state.update(.loaded(tab, result)) }
    #expect(state.pages.isEmpty)
    #expect(state.notice?.text == "You are logged out: the session was revoked.")
  }

  @Test("what is selected stays selected when the list changes")
  func sticks() {
    var state = AppScenes.showingReceipts()
    for _ in 0..<4 { _ = state.update(.key(.down)) }
    let id = state.rowsShown[state.selected ?? 0].id
    var page = AppScenes.receipts
    page.rows.insert(.init(id: "161", cells: ["161", "now", "+1.00", "bob"]), at: 0)
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.selected == 5)
    #expect(state.rowsShown[5].id == id)
    page.rows.removeAll { $0.id == id }
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.selected == 4)
    page.rows = []
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.selected == nil)
    #expect(state.update(.key(.down)) == [] && state.update(.key(.enter)) == [])
  }

  @Test("keys move through lists and tabs, and stop at the ends")
  func moves() {
    var state = AppScenes.showingReceipts()
    for (key, index) in [
      (Key.down, 1), (.character("j"), 2), (.up, 1), (.character("k"), 0), (.up, 0), (.end, 59), (.down, 59),
      (.pageUp, 41), (.home, 0), (.pageDown, 18), (.character("G"), 59), (.character("g"), 0),
    ] {
      #expect(state.update(.key(key)) == [])
      #expect(state.selected == index, "after \(key)")
    }
    #expect(state.update(.key(.tab)) == [.load(.profile, isActivity: true)])
    #expect(state.update(.key(.backTab)) == [.load(.receipts, isActivity: true)])
    #expect(state.update(.key(.left)) == [.load(.pay, isActivity: true)])
    #expect(state.tab == .pay)
    #expect(state.update(.key(.right)) == [.load(.receipts, isActivity: true)])
    #expect(state.update(.key(.character("9"))) == [])
    #expect(state.tab == .receipts)
  }

  @Test("on the Pay tab digits and q are text, and the keys for tabs go on to the next one, where the text is kept")
  func leavesPay() {
    var state = AppScenes.loggedIn()
    AppScenes.type("2", into: &state)
    #expect(state.update(.key(.backTab)) == [])
    #expect(state.tab == .home && state.form == nil)
    AppScenes.type("2q7", into: &state)
    #expect(state.form?.fields.map(\.input.text) == ["q7", ""])
    // In text the arrows move the cursor.
    for key in [Key.left, .left, .left, .right, .right] { #expect(state.update(.key(key)) == []) }
    #expect(state.tab == .pay)
    #expect(state.update(.key(.tab)) == [])
    #expect(state.form?.focus == 1)
    #expect(state.update(.key(.tab)) == [.load(.receipts, isActivity: true)])
    #expect(state.form == nil)
    #expect(state.update(.key(.backTab)) == [.load(.pay, isActivity: true)])
    #expect(state.form?.fields.map(\.input.text) == ["q7", ""])
    // Esc is for what is not meant.
    #expect(state.update(.key(.escape)) == [])
    #expect(state.tab == .home)
    AppScenes.type("2", into: &state)
    #expect(state.form?.fields.map(\.input.text) == ["", ""])
  }

  @Test("a payment is asked about with amount and payee, and No leaves it as it was typed")
  func asksBeforePaying() {
    var state = AppScenes.loggedIn()
    AppScenes.type("2Bob", into: &state)
    _ = state.update(.loaded(.pay, .success(AppPage(lines: ["Your balance is 87.50."]))))
    _ = state.update(.key(.enter))
    AppScenes.type("12.5", into: &state)
    #expect(state.update(.key(.enter)) == [])
    #expect(state.question?.text == "Pay 12.50 to bob?")
    #expect(state.frame.lines.contains("Pay somebody  Your balance is 87.50."))
    for key in [Key.enter, .character("q"), .character("n")] { #expect(state.update(.key(key)) == []) }
    #expect(state.question == nil)
    #expect(state.form?.fields.map(\.input.text) == ["Bob", "12.5"])
    _ = state.update(.key(.enter))
    #expect(state.update(.key(.character("y"))) == [.perform(AppScenes.payment)])
  }

  @Test("an amount or a name of the wrong form is refused in its field before anything is asked")
  func wrongForm() {
    var state = AppScenes.loggedIn()
    AppScenes.type("2b b", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("12,50", into: &state)
    #expect(state.update(.key(.enter)) == [])
    #expect(state.form?.problem?.code == "username_invalid" && state.form?.focus == 0)
    for key in [Key.control("u"), .character("b"), .enter, .enter] { #expect(state.update(.key(key)) == []) }
    #expect(state.form?.problem?.code == "amount_invalid" && state.form?.focus == 1)
    #expect(state.question == nil)
  }

  @Test("logging out needs a yes, by its key and in the menu")
  func asksBeforeLogout() {
    for keys in [[Key.character("l")], [.end, .up, .enter]] {
      var state = AppScenes.loggedIn()
      for key in keys { #expect(state.update(.key(key)) == []) }
      #expect(state.question == .logOut)
      #expect(state.update(.key(.character("n"))) == [])
      #expect(state.question == nil)
      for key in keys { _ = state.update(.key(key)) }
      #expect(state.update(.key(.character("y"))) == [.perform(.logOut)])
    }
  }

  @Test("the bar of keys says what Enter does with the line")
  func saysWhatEnterDoes() {
    var state = AppScenes.showingReceipts(40)
    func foot() -> String { state.frame.lines.last ?? "" }
    #expect(foot().hasPrefix("? help  Enter pay again  "))
    AppScenes.type("5", into: &state)
    _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
    #expect(foot().hasPrefix("? help  Enter log out  "))
    _ = state.update(.key(.down))
    #expect(foot().hasPrefix("? help  Enter end the session"))
    AppScenes.type("2", into: &state)
    #expect(foot() == "Enter next  Esc leave  Tab next  ←→ tabs")
    AppScenes.type("bob", into: &state)
    #expect(foot() == "Enter next  Esc leave  Tab next")
    _ = state.update(.key(.enter))
    #expect(foot() == "Enter pay  Esc leave  Tab next  ←→ tabs")
    for key in [Key.escape, .down, .down, .down, .enter] { _ = state.update(.key(key)) }
    #expect(foot() == "Enter save  Esc cancel")
  }

  @Test("the context is in the bar, and all eight tabs are there in 80 columns")
  func context() {
    var state = AppState(columns: 80, rows: 24, context: "laptop")
    _ = state.update(.button(.logOut(AppScenes.alice)))
    #expect(state.frame.lines[0].hasPrefix("Home (laptop)  "))
    AppScenes.type("3", into: &state)
    #expect(
      state.frame.lines[1] == " 1 Home 2 Pay [3 Receipts] 4 Profile 5 Sessions 6 Events 7 Machine 8 Accounts")
  }

  @Test("a filter leaves what contains it, and Esc takes it away")
  func filters() {
    var state = AppScenes.showingReceipts()
    AppScenes.type("/CAROL", into: &state)
    #expect(state.rowsShown.count == 12)
    _ = state.update(.key(.enter))
    _ = state.update(.key(.down))
    #expect(state.selected == 1)
    #expect(state.rowsShown.allSatisfy { $0.cells[3] == "carol" })
    _ = state.update(.key(.escape))
    #expect(state.rowsShown.count == 60)
    AppScenes.type("/no such thing", into: &state)
    #expect(state.selected == nil)
    #expect(state.frame.lines.contains("Nothing matches.") || state.frame.lines.contains { $0.hasPrefix("Nothing") })
  }

  @Test("ending a session needs a yes")
  func question() {
    var state = AppScenes.loggedIn()
    AppScenes.type("5", into: &state)
    _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
    _ = state.update(.key(.down))
    #expect(state.update(.key(.enter)) == [])
    for key in [Key.enter, .tab, .character("x"), .paste("y")] { #expect(state.update(.key(key)) == []) }
    #expect(state.question != nil)
    _ = state.update(.key(.escape))
    #expect(state.question == nil)
    _ = state.update(.key(.enter))
    let revoke = AppAction.revoke(SessionID(rawValue: "p7c2"))
    #expect(state.update(.key(.character("y"))) == [.perform(revoke)])
    #expect(state.update(.finished(revoke, .success("Ended."))) == [.load(.sessions, isActivity: false)])
  }

  @Test("an account is changed by the key that its question names, and by no other")
  func accountQuestion() {
    for (index, key, action) in [
      (0, Unicode.Scalar("d"), AppAction.changeAccount(.disable, "alice")),
      (0, "m", .changeAccount(.demote, "alice")), (1, "d", .changeAccount(.disable, "bob")),
      (1, "U", .changeAccount(.unlock, "bob")), (1, "a", .changeAccount(.promote, "bob")),
    ] {
      var state = AppScenes.loggedIn()
      AppScenes.type("8", into: &state)
      _ = state.update(.loaded(.accounts, .success(AppScenes.accounts)))
      for _ in 0..<index { _ = state.update(.key(.down)) }
      _ = state.update(.key(.enter))
      for other in [Unicode.Scalar("y"), "e", "4"] { #expect(state.update(.key(.character(other))) == []) }
      #expect(state.question?.answers.map(\.key) == (index == 0 ? ["d", "m"] : ["d", "u", "a"]))
      #expect(state.update(.key(.character(key))) == [.perform(action)])
      #expect(state.update(.finished(action, .success("Done."))) == [.load(.accounts, isActivity: false)])
    }
  }

  @Test("Enter on an event ends its session, where that is one of the user's that goes on")
  func eventQuestion() {
    let sessions = ["k3v9", "p7c2"].map { id in
      SessionSummary(
        id: SessionID(rawValue: id), isCurrent: id == "k3v9", label: nil, createdAt: WallTime(microseconds: 0),
        activeAt: WallTime(microseconds: 0), limits: SessionLimits(idle: .off, absolute: .off, fresh: .off))
    }
    let events = ["k3v9", "p7c2", "over"].enumerated().map { index, id in
      Event(
        id: Int64(index), at: WallTime(microseconds: 0), name: "login", account: "alice", actor: nil,
        session: .named(SessionID(rawValue: id)), detail: nil)
    }
    let page = AppPage.events(Page(of: AppPage.limit, from: events), sessions)
    #expect(
      page.rows.map(\.action) == [
        .ask(.logOut),
        .ask(
          AppQuestion(
            text: "End session p7c2?", label: "end the session", action: .revoke(SessionID(rawValue: "p7c2")))), nil,
      ])
  }

  @Test("a list that is longer than what is loaded says so, and the filter says where it looks")
  func part() {
    let receipts = (0...AppPage.limit).map { index in
      Receipt(
        id: Int64(1000 - index), payer: "alice", payee: "bob", amount: Amount(unchecked: 100),
        madeAt: WallTime(microseconds: 0), key: nil)
    }
    let profile = Profile(user: AppScenes.alice, balance: 100, createdAt: WallTime(microseconds: 0))
    let page = AppPage.receipts(Page(of: AppPage.limit, from: receipts), of: profile)
    #expect(page.rows.count == AppPage.limit)
    #expect(page.lines.first == "Only the newest 500 are here. More: auth-cli receipts --before 501")
    var state = AppScenes.loggedIn()
    AppScenes.type("3", into: &state)
    _ = state.update(.loaded(.receipts, .success(page)))
    AppScenes.type("/bob", into: &state)
    #expect(state.frame.lines.contains { $0.hasPrefix("Filter: bob  in the newest 500") })
    let all = AppPage.receipts(Page(of: AppPage.limit, from: receipts.dropLast()), of: profile)
    #expect(all.part == nil && all.lines.first == "Balance  1.00")
  }

  @Test("why nothing could be found out is said until it can be, and no longer; other notices stay")
  func lookingAgain() {
    var state = AppScenes.loggedIn()
    let problem = AppProblem(code: "unavailable", message: "The server does not answer.", hint: "Try again.")
    for _ in 1...2 { _ = state.update(.looked(problem)) }
    #expect(state.notice?.text == "The server does not answer. Try again.")
    _ = state.update(.looked(nil))
    #expect(state.notice == nil)
    _ = state.update(.looked(problem))
    _ = state.update(.finished(.rename("Al"), .success("Your name is Al now.")))
    _ = state.update(.looked(nil))
    #expect(state.notice?.text == "Your name is Al now.")
  }

  @Test("the chart takes what the list leaves, so that no time is cut off for it", arguments: [72, 80, 90, 120])
  func chartWidth(_ columns: Int) {
    let receipts = (0..<3).map { index in
      Receipt(
        id: Int64(10 - index), payer: "alice", payee: "bob", amount: Amount(unchecked: 1250),
        madeAt: WallTime(microseconds: 0), key: nil)
    }
    let profile = Profile(user: AppScenes.alice, balance: 8750, createdAt: WallTime(microseconds: 0))
    var state = AppScenes.loggedIn(columns)
    AppScenes.type("3", into: &state)
    let page = AppPage.receipts(Page(of: AppPage.limit, from: receipts), of: profile)
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.frame.lines.contains { $0.contains("  now 87.50") })
    #expect(!state.frame.lines.contains { $0.contains("…") })
  }

  @Test("of a time that is cut off the end shows, which tells rows of one day apart")
  func cutTimes() {
    let columns = [Table.Column(title: "EVENT"), .init(title: "TIME", unit: "UTC")]
    let layout = AppColumns(columns, naturalWidths: [20, 19], width: 24)
    #expect(layout.line(["authn_login_succeeded", "2026-11-21 20:00:59"]) == "authn_logi…  …1 20:00:59")
    #expect(layout.heading == "EVENT        TIME (UTC) ")
  }

  @Test("pasted text is text in a field and nothing elsewhere")
  func pasted() {
    var state = AppScenes.loggedIn()
    #expect(state.update(.key(.paste("q"))) == [])
    #expect(state.notice != nil)
    AppScenes.type("2", into: &state)
    _ = state.update(.key(.paste("bob\n")))
    #expect(state.form?.fields[0].input.text == "bob")
    _ = state.update(.key(.paste("a\nb")))
    #expect(state.form?.fields[0].input.text == "bob")
    #expect(state.form?.problem?.message == "The pasted text has more than one line. Nothing was taken.")
    _ = state.update(.key(.paste(String(repeating: "x", count: 600))))
    #expect(state.form?.fields[0].input.text == "bob")
    #expect(state.form?.problem != nil)
  }

  @Test("news of the session is no activity, and what a person opens is")
  func activity() {
    var state = AppScenes.showingReceipts()
    #expect(state.update(.looked(nil)) == [.load(.receipts, isActivity: false)])
    #expect(state.update(.key(.character("4"))) == [.load(.profile, isActivity: true)])
  }

  @Test("quitting waits for what is under way, and a second time does not")
  func quits() {
    var state = AppScenes.loggedIn()
    #expect(state.update(.key(.character("l"))) == [])
    #expect(state.update(.key(.character("y"))) == [.perform(.logOut)])
    #expect(state.update(.key(.character("q"))) == [])
    #expect(state.update(.finished(.logOut, .success("Logged out."))) == [.quit])
    var impatient = AppScenes.loggedIn()
    AppScenes.type("ly", into: &impatient)
    _ = impatient.update(.key(.character("q")))
    #expect(impatient.update(.key(.character("q"))) == [.quit])
  }

  @Test("two passwords that differ are asked for again")
  func repeats() {
    var state = AppScenes.loggedOut()
    for key in [Key.down, .enter] { _ = state.update(.key(key)) }
    #expect(state.form?.purpose == .register)
    AppScenes.type("carol", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("correct horse battery", into: &state)
    _ = state.update(.key(.enter))
    AppScenes.type("correct horse batter", into: &state)
    #expect(state.update(.key(.enter)) == [])
    #expect(state.form?.problem?.code == "passwords_differ")
    #expect(state.form?.fields.map(\.input.text) == ["carol", "", ""])
    #expect(state.form?.focus == 1)
  }

  @Test("random keys and news: it never traps, and without a session no guarded tab is open")
  func random() {
    var random = SeededGenerator(seed: 11)
    let keys: [Key] = [
      .enter, .escape, .tab, .backTab, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .backspace, .delete,
      .character("y"), .character("n"), .character("l"), .character("/"), .character("?"), .character("m"),
      .character("1"), .character("2"), .character("3"), .character("5"), .character("8"),
      .character("e\u{301}".unicodeScalars.last ?? "x"),
      .control("w"), .control("u"), .paste("日本"), .unknown,
    ]
    for _ in 0..<200 {
      var state = AppScenes.loggedOut(.random(in: 1...90, using: &random), .random(in: 1...30, using: &random))
      for _ in 0..<80 {
        let message: AppMessage =
          switch Int.random(in: 0..<12, using: &random) {
          case 0: .button(.logOut(AppScenes.alice))
          case 1: .button(.logIn)
          case 2: .dismissed("the session was revoked")
          case 3: .loaded(state.tab, .success(AppScenes.sessions))
          case 4: state.work.map { .finished($0.action, .success("Done.")) } ?? .looked(nil)
          case 5:
            state.work.map { .finished($0.action, .failure(.init(code: "password_not_recent", message: "", hint: ""))) }
              ?? .looked(nil)
          case _: .key(keys.randomElement(using: &random) ?? .enter)
          }
        if state.update(message) == [.quit] { break }
        #expect(state.user != nil || !state.tab.isGuarded)
        _ = state.frame
      }
    }
  }
}
