import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import Programs
import Races
import Testing
import TextFormat

@testable import AuthProgram

@Suite("What the full-screen program makes of keys and news")
struct AppUpdateTests {
  private static let credentials = Credentials.password(username: "alice", password: Secret("correct horse battery"))

  @Test("without a session a guarded tab asks to log in, and opens afterwards")
  func guarded() {
    for (digit, tab) in zip(2...6, [AppTab.pay, .receipts, .profile, .sessions, .events]) {
      let state = AppScenes.loggedOut()
      #expect(state.update(.key(.character(Unicode.Scalar(UInt8(0x30 + digit))))) == nil)
      #expect(state.tab == .home)
      #expect(state.form?.purpose == .logIn(then: tab))
      #expect(state.type("alice\n") == nil)
      #expect(state.type("correct horse battery\n") == .perform(.logIn(Self.credentials)))
      _ = state.update(.button(.logOut(AppScenes.alice)))
      let effects = state.update(.finished(.logIn(Self.credentials), .success("Logged in as alice.")))
      #expect(effects == .load(tab, isActivity: true))
      #expect(state.tab == tab)
      #expect(state.notice?.text == "Logged in as alice.")
    }
  }

  @Test("Esc leaves the form, and nobody is logged in")
  func cancel() {
    let state = AppScenes.loggedOut()
    #expect(state.type("3ali\u{1B}") == nil)
    #expect(state.form == nil)
    #expect(state.tab == .home)
  }

  @Test("while a password is checked no second one is sent, and Esc leaves without stopping the check")
  func oneAtATime() {
    let state = AppScenes.loggedOut()
    #expect(state.type("lalice\ncorrect horse battery\n") == .perform(.logIn(Self.credentials)))
    #expect(state.type("\n") == nil)
    #expect(state.type("x") == nil)
    #expect(state.type("\u{1B}") == nil)
    #expect(state.form == nil)
    #expect(state.type("lbob\nanother password\n") == nil)
    #expect(state.work == .logIn(Self.credentials))
  }

  @Test("a refused password is forgotten, and the reason is in the form")
  func refused() {
    let state = AppScenes.loggedOut()
    state.type("lalice\nwrong\n")
    let problem = CommandError(.no, "credentials_not_accepted", "Not accepted.", hint: "Try again.")
    _ = state.update(.finished(.logIn(Self.credentials), .failure(problem)))
    #expect(state.form?.problem == problem)
    #expect(state.form?.fields.map(\.typed) == ["alice", ""])
    #expect(state.form?.focus == 1)
    #expect(state.work == nil)
  }

  @Test("a login in two steps asks for the code, again while it is wrong, and then opens what was meant")
  func secondStep() {
    let state = AppScenes.loggedOut()
    state.type("3alice\ncorrect horse battery\n")
    let logIn = AppAction.logIn(Self.credentials)
    let asked = CommandError(code: .codeMissing)
    #expect(state.update(.finished(logIn, .failure(asked))) == nil)
    #expect(state.form?.purpose == .secondStep(of: logIn))
    let code = AppAction.answer(Secret("123456"))
    #expect(state.type("123456\n") == .perform(code))
    // An answer that is being checked cannot be left.
    #expect(state.type("\u{1B}") == nil)
    _ = state.update(.finished(code, .failure(CommandError(code: .wrongCode))))
    #expect(state.form?.purpose == .secondStep(of: logIn) && state.form?.problem == CommandError(code: .wrongCode))
    #expect(state.form?.fields.map(\.typed) == [""])
    state.type("123456\n")
    _ = state.update(.button(.logOut(AppScenes.alice)))
    #expect(state.update(.finished(code, .success("Logged in as alice."))) == .load(.receipts, isActivity: true))
    #expect(state.tab == .receipts && state.form == nil)
  }

  @Test("Esc gives a second step up, and one that is over leads back to the password, which is forgotten")
  func secondStepEnds() {
    for isOver in [false, true] {
      let state = AppScenes.loggedOut()
      state.type("lalice\ncorrect horse battery\n")
      _ = state.update(.finished(.logIn(Self.credentials), .failure(CommandError(code: .codeMissing))))
      if isOver {
        state.type("1\n")
        let over = CommandError(SessionError.rejected(.challengeOver))
        _ = state.update(.finished(.answer(Secret("1")), .failure(over)))
        #expect(state.form?.problem?.code == "challenge_over")
        #expect(state.form?.problem?.hint.description.hasPrefix("Begin again.") == true)
      } else {
        #expect(state.type("\u{1B}") == .perform(.cancelAnswer))
        _ = state.update(.finished(.cancelAnswer, .success("Nothing was changed.")))
      }
      #expect(state.form?.purpose == .logIn(then: .home))
      #expect(state.form?.fields.map(\.typed) == ["alice", ""])
    }
  }

  @Test("a new password that needs a code is set after the code")
  func secondStepOfChange() {
    let state = AppScenes.loggedIn()
    let change = AppAction.changePassword(present: Secret("correct horse battery"), new: Secret("quiet meadow"))
    state.form = AppForm(.changePassword)
    #expect(state.perform(change) == .perform(change))
    _ = state.update(.finished(change, .failure(CommandError(code: .codeMissing))))
    #expect(state.type("123456\n") == .perform(.answer(Secret("123456"))))
    let effects = state.update(.finished(.answer(Secret("123456")), .success("The password is confirmed.")))
    #expect(effects == .perform(change))
    #expect(state.form?.purpose == .changePassword)
  }

  @Test("a payment that needs the password asks for it, and then is the same payment")
  func reauthenticates() {
    let state = AppScenes.loggedIn()
    let payment = AppScenes.payment
    #expect(state.type("2bob\n12.50\n") == nil)
    #expect(state.type("y") == .perform(payment))
    let stale = CommandError(.no, "password_not_recent", "Too long ago.", hint: "")
    #expect(state.update(.finished(payment, .failure(stale))) == nil)
    #expect(state.form?.purpose == .reauthenticate(then: payment))
    let password = AppAction.reauthenticate(Secret("correct horse battery"))
    #expect(state.type("correct horse battery\n") == .perform(password))
    #expect(state.update(.finished(password, .success("Confirmed."))) == .perform(payment))
    #expect(state.form?.purpose == .pay(number: 1))
    let paid = state.update(.finished(payment, .success("Paid 12.50 to bob. Receipt 7.")))
    #expect(paid == .load(.pay, isActivity: false))
    #expect(state.notice?.text == "Paid 12.50 to bob. Receipt 7.")
    // The next one is another.
    #expect(state.form?.purpose == .pay(number: 2))
    #expect(state.form?.fields.map(\.typed) == ["", ""])
  }

  @Test("Esc at the password brings the payment back as it was typed")
  func keepsPayment() {
    let state = AppScenes.loggedIn()
    state.type("2bob\n12.50\ny")
    let payment = AppScenes.payment
    let stale = CommandError(.no, "password_not_recent", "", hint: "")
    _ = state.update(.finished(payment, .failure(stale)))
    state.type("\u{1B}")
    #expect(state.form?.fields.map(\.typed) == ["bob", "12.50"])
  }

  @Test(
    "a session that ends elsewhere closes what belongs to it, and Home says why",
    arguments: [
      AppTab.pay, .receipts, .profile, .sessions, .events, .accounts,
    ])
  func dismissed(_ tab: AppTab) throws {
    let state = AppScenes.loggedIn()
    let number = try #require(state.tabs.firstIndex(of: tab)) + 1
    state.type("\(number)")
    #expect(state.tab == tab)
    if tab == .sessions {
      _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
      state.type("e")
      #expect(state.question != nil)
    }
    _ = state.update(.dismissed("You are logged out: the session was revoked."))
    _ = state.update(.button(.logIn))
    #expect(state.tab == .home)
    #expect(state.form == nil && state.question == nil && AppTab.allCases.allSatisfy({ state[$0].page == nil }))
    let said = "You are logged out: the session was revoked."
    #expect(state.frame.lines.contains(said))
    // What was being loaded meanwhile comes too late.
    let late = CommandError(.no, "session_ended", "The session was revoked.", hint: "Log in again.")
    for result in [Result.failure(late), .success(AppScenes.receipts)] { _ = state.update(.loaded(tab, result)) }
    #expect(AppTab.allCases.allSatisfy({ state[$0].page == nil }))
    #expect(state.frame.lines.contains(said) && state.notice == nil)
  }

  @Test("a refused new password or code is typed again, and what was right stays")
  func keepsWhatWasRight() {
    let state = AppScenes.loggedIn()
    func refuse(_ code: String, of form: AppForm) -> [Bool] {
      for field in form.fields { _ = field.edit(.paste(PastedText("correct horse battery"))) }
      form.focus = form.fields.count - 1
      state.form = form
      guard case .perform(let action) = state.type("\n") else { return [] }
      _ = state.update(.finished(action, .failure(CommandError(.no, code, "No.", hint: ""))))
      return form.fields.map(\.isEmpty)
    }
    let change = AppForm(.changePassword)
    #expect(refuse("password_too_short", of: change) == [false, true, true] && change.focus == 1)
    #expect(refuse("credentials_not_accepted", of: change) == [true, true, true] && change.focus == 0)
    let recovery = AppForm(.recover(username: ""))
    #expect(refuse("credentials_not_accepted", of: recovery) == [false, true, false, false] && recovery.focus == 1)
  }

  @Test("what is typed across the end of a session goes nowhere, until a pause and then Enter or Esc")
  func typesAcrossEnd() {
    for key in [Key.enter, .escape] {
      let state = AppScenes.loggedIn()
      state.form = AppForm(.changePassword)
      state.type("correct horse")
      _ = state.update(.dismissed("You were logged out in another terminal."))
      _ = state.update(.button(.logIn))
      let frame = state.frame
      for pause in [0, 299, 299, 299] {
        state.wait(.milliseconds(pause))
        for typed in [Key.character("l"), .character("q"), .control("c"), .paste(PastedText("q")), .enter, .escape] {
          #expect(state.update(.key(typed)) == nil)
        }
        #expect(state.frame == frame && state.form == nil && state.question == nil)
      }
      #expect(state.nextChange == state.now + .milliseconds(300))
      state.wait(.milliseconds(300))
      #expect(state.frame.lines.last == "Enter or Esc: go on")
      // A key that is not one of the two begins the pause again.
      #expect(state.type("q") == nil && state.update(.key(key)) == nil)
      #expect(state.interruption != nil)
      state.wait(.milliseconds(300))
      #expect(state.update(.key(key)) == nil && state.interruption == nil)
      #expect(state.frame.lines.contains("Welcome. Nobody is logged in.") && state.nextChange == nil)
    }
  }

  @Test("the filter goes with the session, and so does what was being typed into it")
  func filterEnds() {
    let state = AppScenes.showingReceipts()
    state.type("/carol")
    _ = state.update(.dismissed("You were logged out in another terminal."))
    _ = state.update(.button(.logIn))
    #expect(state.filter.text.isEmpty && !state.isFiltering)
  }

  @Test("what comes of work belongs to the form that asked for it: another form keeps what was typed")
  func otherForm() {
    let problem = CommandError(.no, "credentials_not_accepted", "Not accepted.", hint: "Try again.")
    for result in [
      Result<AppOutcome, _>.success("Logged in as alice."), .failure(problem),
      .failure(CommandError(code: .codeMissing)),
    ] {
      let state = AppScenes.loggedOut()
      #expect(state.type("lalice\ncorrect horse battery\n") == .perform(.logIn(Self.credentials)))
      // Of the form that is left nothing stays behind.
      let password = state.form?.fields[1]
      #expect(state.type("\u{1B}") == nil && password?.isEmpty == true)
      state.type("↓\n")
      state.form?.focus = 1
      #expect(state.form?.purpose == .register)
      let effect = state.update(.finished(.logIn(Self.credentials), result))
      #expect(state.form?.purpose == .register && state.form?.problem == nil)
      switch result {
      case .success: #expect(effect == nil && state.notice?.text == "Logged in as alice.")
      case .failure(problem): #expect(effect == nil && state.notice?.text == "Not accepted. Try again.")
      // Nobody is asked for the code: it is given up.
      case .failure:
        #expect(effect == .perform(.cancelAnswer))
        _ = state.update(.finished(.cancelAnswer, .success("Nothing was changed.")))
        #expect(state.notice?.text.hasPrefix("A code is also needed") == true)
      }
    }
  }

  @Test("a payment that was left before it was made is not made again by the form that opens next")
  func leftPayment() {
    let state = AppScenes.loggedIn()
    state.type("2bob\n12.50\ny\u{1B}2carol")
    #expect(state.form?.purpose == .pay(number: 2))
    _ = state.update(.finished(AppScenes.payment, .success("Paid 12.50 to bob. Receipt 7.")))
    #expect(state.form?.purpose == .pay(number: 2) && state.form?.fields[0].text == "carol")
    #expect(state.notice?.text == "Paid 12.50 to bob. Receipt 7.")
  }

  @Test("work that fails after q is reported, and the program does not end silently")
  func quitFails() {
    let state = AppScenes.loggedIn()
    state.type("lyq")
    let problem = CommandError(.cannotTell, "logout_incomplete", "logged out on this device only", hint: "Try again.")
    #expect(state.update(.finished(.logOut, .failure(problem))) == nil)
    #expect(!state.isQuitting && state.notice?.text.hasPrefix("Logged out on this device only.") == true)
    #expect(state.type("q") == .quit)
  }

  @Test("a page of a few milliseconds shows no word that it loads")
  func loadsInAMoment() {
    let state = AppScenes.loggedIn()
    state.type("3")
    #expect(!state.frame.lines.contains("Loading…"))
    #expect(state.nextChange == state.now + .milliseconds(100))
    state.wait(.milliseconds(100))
    #expect(state.frame.lines.contains("Loading…"))
    _ = state.update(.loaded(.receipts, .success(AppScenes.receipts)))
    #expect(!state.frame.lines.contains("Loading…") && state.nextChange == nil)
  }

  @Test("the list scrolls by row, the whole row is marked, and the bar says where in the list it is")
  func scrolls() {
    let state = AppScenes.showingReceipts(60, 16)
    func times() -> [String] {
      state.frame.lines.filter { $0.contains("2026-11-21") || $0.contains("11-21 20") }.map { String($0.prefix(20)) }
    }
    let height = state.list.height
    #expect(height > 3 && state.frame.lines.last?.hasSuffix("1 of 60") == true)
    let first = times()
    for _ in 1..<height { state.type("↓") }
    #expect(times().dropFirst().dropLast() == first.dropFirst().dropLast())
    state.type("↓")
    #expect(state.list.top == 1 && state.frame.lines.last?.hasSuffix("\(height + 1) of 60") == true)
    for _ in 1..<height { state.type("↑") }
    #expect(state.list.top == 1)
    state.type("↑")
    #expect(state.list.top == 0)
    let frame = state.frame
    let row = (0..<frame.rows).first { frame[$0, 0].character == ">" } ?? 0
    #expect((0..<frame.columns).allSatisfy { frame[row, $0].style == .selected })
  }

  @Test("a question and a notice take the rows they need, and the list what is left")
  func longNotice() {
    let state = AppScenes.showingAccounts(40, 16, below: 4)
    for key in [Key.enter, .end, .up, .enter] { _ = state.update(.key(key)) }
    state.question = AppQuestion(String(repeating: "word ", count: 30) + "end?", .logOut)
    let lines = state.frame.lines
    #expect(lines[14].hasSuffix("end? y/n") && lines[11].hasPrefix("word"))
    #expect(lines.contains { $0.hasPrefix(">") })
    #expect(AppScenes.machineWords(width: 34).contains("  too soon after the last renewal"))
  }

  @Test("what is selected stays selected when the list changes")
  func sticks() {
    let state = AppScenes.showingReceipts()
    for _ in 0..<4 { state.type("↓") }
    let id = state.rowsShown[state.selected ?? 0].id
    let row = AppRow(id: "161", cells: ["now", "+1.00", "bob", "161"])
    var page = AppScenes.receipts.with([row] + AppScenes.receipts.rows)
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.selected == 5)
    #expect(state.rowsShown[5].id == id)
    page = page.with(page.rows.filter { $0.id != id })
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.selected == 4)
    page = page.with([])
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.selected == nil)
    #expect(state.type("↓") == nil && state.type("\n") == nil)
  }

  @Test("keys move through lists and tabs, and stop at the ends")
  func moves() {
    let state = AppScenes.showingReceipts()
    for (key, index) in [
      (Key.down, 1), (.character("j"), 2), (.up, 1), (.character("k"), 0), (.up, 0), (.end, 59), (.down, 59),
      (.pageUp, 43), (.home, 0), (.pageDown, 16), (.character("G"), 59), (.character("g"), 0),
    ] {
      #expect(state.update(.key(key)) == nil)
      #expect(state.selected == index, "after \(key)")
    }
    #expect(state.type("\t") == .load(.profile, isActivity: true))
    #expect(state.update(.key(.backTab)) == .load(.receipts, isActivity: true))
    #expect(state.type("←") == .load(.pay, isActivity: true))
    #expect(state.tab == .pay)
    #expect(state.type("→") == .load(.receipts, isActivity: true))
    #expect(state.type("9") == nil)
    #expect(state.tab == .receipts)
  }

  @Test("on the Pay tab digits and q are text, Tab goes round the fields, and arrows in an empty one open other tabs")
  func leavesPay() {
    let state = AppScenes.loggedIn()
    #expect(state.type("2←") == nil)
    #expect(state.tab == .home && state.form == nil)
    state.type("2q7")
    #expect(state.form?.fields.map(\.typed) == ["q7", ""])
    // In text the arrows move the cursor.
    for key in [Key.left, .left, .left, .right, .right] { #expect(state.update(.key(key)) == nil) }
    #expect(state.tab == .pay)
    for (key, focus) in [(Key.tab, 1), (.tab, 0), (.backTab, 1), (.backTab, 0), (.tab, 1)] {
      #expect(state.update(.key(key)) == nil)
      #expect(state.tab == .pay && state.form?.focus == focus)
    }
    #expect(state.type("→") == .load(.receipts, isActivity: true))
    #expect(state.form == nil)
    #expect(state.update(.key(.backTab)) == .load(.pay, isActivity: true))
    #expect(state.form?.fields.map(\.typed) == ["q7", ""])
    // Esc is for what is not meant.
    #expect(state.type("\u{1B}") == nil)
    #expect(state.tab == .home)
    state.type("2")
    #expect(state.form?.fields.map(\.typed) == ["", ""])
  }

  @Test("a payment is asked about with amount and payee, and No leaves it as it was typed")
  func asksBeforePaying() {
    let state = AppScenes.loggedIn()
    state.type("2Bob")
    _ = state.update(.loaded(.pay, .success(AppPage(lines: ["Your balance is 87.50."], balance: 8750))))
    #expect(state.type("\n12.5\n") == nil)
    #expect(state.question?.text == "Pay 12.50 to bob? After this you have 75.00.")
    _ = state.update(.loaded(.pay, .success(AppPage(lines: ["Your balance is 5.00."], balance: 500))))
    for key in [Key.enter, .character("q"), .character("n"), .enter] { #expect(state.update(.key(key)) == nil) }
    #expect(state.question == nil && state.form?.problem?.sentence == "You have only 5.00.")
    #expect(state.frame.lines.contains("Pay somebody  Your balance is 5.00."))
    #expect(state.form?.fields.map(\.typed) == ["Bob", "12.5"])
    _ = state.update(.loaded(.pay, .success(AppPage(lines: ["Your balance is 87.50."], balance: 8750))))
    #expect(state.type("\ny") == .perform(AppScenes.payment))
    let unknown = CommandError(.no, "payee_unknown", "There is no account 'bob'.", hint: "Check the name.")
    #expect(state.update(.finished(AppScenes.payment, .failure(unknown))) == nil)
    #expect(state.form?.focus == 0 && state.form?.fields.map(\.typed) == ["Bob", "12.5"])
  }

  @Test("an amount or a name of the wrong form is refused in its field before anything is asked")
  func wrongForm() {
    let state = AppScenes.loggedIn()
    #expect(state.type("2b b\n12,50\n") == nil)
    #expect(state.form?.problem?.code == "username_invalid" && state.form?.focus == 0)
    for key in [Key.control("u"), .character("b"), .enter, .enter] { #expect(state.update(.key(key)) == nil) }
    #expect(state.form?.problem?.code == "amount_invalid" && state.form?.focus == 1)
    #expect(state.question == nil)
  }

  @Test("logging out needs a yes, by its key and in the menu")
  func asksBeforeLogout() {
    for keys in [[Key.character("l")], [.end, .up, .enter]] {
      let state = AppScenes.loggedIn()
      for key in keys { #expect(state.update(.key(key)) == nil) }
      #expect(state.question == .logOut)
      #expect(state.type("n") == nil)
      #expect(state.question == nil)
      for key in keys { _ = state.update(.key(key)) }
      #expect(state.type("y") == .perform(.logOut))
    }
  }

  @Test("the bar of keys says what Enter does with the line")
  func saysWhatEnterDoes() {
    let state = AppScenes.showingReceipts(40)
    func foot() -> String { state.frame.lines.last ?? "" }
    #expect(foot().hasPrefix("? help  Enter details"))
    state.type("5")
    _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
    #expect(foot().hasPrefix("? help  Enter details  e log out  y copy"))
    state.type("↓")
    #expect(foot().hasPrefix("? help  Enter details"))
    state.type("2")
    #expect(foot() == "Enter next  Esc leave  Tab field")
    state.type("bob")
    #expect(foot() == "Enter next  Esc leave  Tab field")
    state.type("\n")
    #expect(foot() == "Enter pay  Esc leave  Tab field  ←→ tabs")
    state.type("\u{1B}↓↓↓\n")
    #expect(foot() == "Enter save  Esc cancel  F1 help")
  }

  @Test("the context is in the bar, and all eight tabs are there in 80 columns")
  func context() {
    let state = AppState(columns: 80, rows: 24, context: "laptop")
    _ = state.update(.button(.logOut(AppScenes.alice)))
    #expect(state.frame.lines[0].hasPrefix("Home (laptop)  "))
    state.type("3")
    #expect(
      state.frame.lines[1] == " 1 Home 2 Pay [3 Receipts] 4 Profile 5 Sessions 6 Events 7 Machine 8 Accounts")
  }

  @Test("a filter leaves what contains it, and Esc takes it away")
  func filters() {
    let state = AppScenes.showingReceipts()
    state.type("/CAROL")
    #expect(state.rowsShown.count == 12)
    state.type("\n↓")
    #expect(state.selected == 1)
    #expect(state.rowsShown.allSatisfy { $0.cells[2] == "carol" })
    #expect(state.frame.lines.last?.contains("  Esc clear  ") == true)
    state.type("\u{1B}")
    #expect(state.rowsShown.count == 60)
    #expect(state.frame.lines.last?.contains("Esc") == false)
    state.type("/no such thing")
    #expect(state.selected == nil)
    #expect(state.frame.lines.contains("Nothing matches.") || state.frame.lines.contains { $0.hasPrefix("Nothing") })
  }

  @Test("ending a session needs a yes")
  func question() {
    let state = AppScenes.loggedIn()
    state.type("5")
    _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
    #expect(state.type("↓e") == nil)
    for key in [Key.enter, .tab, .character("x"), .paste(PastedText("y"))] { #expect(state.update(.key(key)) == nil) }
    #expect(state.question != nil)
    state.type("\u{1B}")
    #expect(state.question == nil)
    // In the details it is a line, too.
    let revoke = AppAction.revoke(SessionID(rawValue: "p7c2m4x0e5ta"))
    #expect(state.type("\n\ny") == .perform(revoke))
    #expect(state.update(.finished(revoke, .success("Ended."))) == .load(.sessions, isActivity: false))
  }

  @Test("what takes something away from an account is asked about first, and the rest is done at once")
  func accountMenu() {
    func chosen(_ text: String) -> (AppState, AppEffect?) {
      let state = AppScenes.showingAccounts(below: 4)
      state.type("\n")
      #expect(state.frame.lines.contains("bob (Bob 王): member, locked, second step off."))
      while state.selected.map({ state.rowsShown[$0].cells[0] }) != text {
        let before = state.selected
        #expect(state.type("↓") == nil)
        if state.selected == before { break }
      }
      let effects = state.type("\n")
      return (state, effects)
    }
    let (state, effect) = chosen("Unlock: forget wrong passwords")
    #expect(effect == .perform(.administer(.change(.unlock, "bob"))) && state.question == nil)
    for (text, question, administration) in [
      (
        "One-time code for a new password", "Make a one-time code for bob? A code made before stops working.",
        Administration.resetPassword("bob")
      ),
      ("Make administrator", "Make bob an administrator?", .change(.promote, "bob")),
      ("Disable, and end all sessions", "Disable bob, and end all its sessions?", .change(.disable, "bob")),
    ] {
      let (state, effects) = chosen(text)
      #expect(effects == nil && state.question?.text == question)
      for key in [Key.enter, .character("d"), .character("m")] { #expect(state.update(.key(key)) == nil) }
      let action = AppAction.administer(administration)
      #expect(state.type("y") == .perform(action))
      #expect(state.update(.finished(action, .success("Done."))) == .load(.accounts, isActivity: false))
      // The menu stays, with what can be done now; and Esc leads back to the list.
      _ = state.update(.loaded(.accounts, .success(AppScenes.accounts)))
      #expect(state.selected.map { state.rowsShown[$0].cells[0] } == text && state.menuRow?.id == "bob")
      #expect(state.type("\u{1B}") == nil)
      #expect(state.menuRow == nil && state.selected == 4 && state.tab == .accounts)
    }
    for key in [Unicode.Scalar("d"), "e", "a", "u"] {
      let state = AppScenes.showingAccounts(below: 4)
      #expect(state.update(.key(.character(key))) == nil && state.question == nil && state.menu == nil)
    }
  }

  @Test("of the last administrator nothing is offered that would be refused, and of another one it is")
  func lastAdministrator() {
    func account(_ name: String, _ role: Role = .administrator, isDisabled: Bool = false) -> AccountSummary {
      AccountSummary(
        user: User(id: UserID(rawValue: name), username: name, displayName: name, role: role), isDisabled: isDisabled,
        createdAt: WallTime(microseconds: 0), failedAttempts: 0, throttle: nil)
    }
    func menu(of name: String, in accounts: [AccountSummary]) -> [String]? {
      let page = AppPage.accounts(Page(of: AppPage.limit, from: accounts), .open, .optional)
      return page.rows.first { $0.id == name }?.menu?.rows.map { $0.cells[0] }
    }
    let code = "One-time code for a new password"
    let delete = "Delete for ever (balance must be 0.00)"
    let all = [code, "Make member", "Disable, and end all sessions", delete]
    #expect(menu(of: "alice", in: [account("alice"), account("bob", .member)]) == [code])
    #expect(menu(of: "alice", in: [account("alice"), account("bob", isDisabled: true)]) == [code])
    #expect(
      menu(of: "bob", in: [account("alice"), account("bob", isDisabled: true)])
        == ["Make member", "Enable", delete])
    #expect(menu(of: "alice", in: [account("alice"), account("bob")]) == all)
    // Another one may be among those that are not loaded.
    #expect(menu(of: "u0", in: [account("u0")] + (1...AppPage.limit).map { account("u\($0)", .member) }) == all)
  }

  @Test("the cursor of an account's menu stays on its action, or at its place, when the menu changes under it")
  func cursorOfMenu() {
    let state = AppScenes.showingAccounts(below: 4)
    func show(_ role: Role = .member, isDisabled: Bool = false, failed: Int64 = 0) {
      let user = User(id: UserID(rawValue: "2"), username: "bob", displayName: "Bob", role: role)
      let accounts = [AppScenes.alice, user].map {
        AccountSummary(
          user: $0, isDisabled: isDisabled && $0 == user, createdAt: WallTime(microseconds: 0),
          failedAttempts: $0 == user ? failed : 0, throttle: nil)
      }
      let page = AppPage.accounts(Page(of: AppPage.limit, from: accounts), .open, .optional)
      _ = state.update(.loaded(.accounts, .success(page)))
    }
    var action: String? { state.selected.map { state.rowsShown[$0].cells[0] } }
    show()
    state.type("\n")
    #expect(action == "One-time code for a new password")
    // A wrong password elsewhere: "Unlock" comes before it.
    show(failed: 1)
    #expect(action == "One-time code for a new password")
    // Of what is gone the next one takes the place.
    show(isDisabled: true, failed: 1)
    #expect(action == "Make administrator")
    state.type("↑")
    show()
    #expect(action == "One-time code for a new password")
    state.type("↓")
    show(.administrator, failed: 1)
    #expect(action == "Make member")
    state.type("↓")
    show(isDisabled: true, failed: 1)
    #expect(action == "Enable")
    #expect(state.type("\n") == nil && state.question?.text == "Enable bob?")
    state.type("\u{1B}")
    show()
    #expect(action == "Disable, and end all sessions")
    #expect(state.notice == nil)
    let page = AppScenes.accounts.with(AppScenes.accounts.rows.filter { $0.id != "bob" })
    _ = state.update(.loaded(.accounts, .success(page)))
    #expect(state.menuRow == nil && state.notice?.text == "The account bob is gone.")
  }

  @Test("a second step that is required now closes the accounts to whoever has none, and says that the change is made")
  func ownStepMissing() {
    let made = "A second step is required of administrators now. You have none: set yours up on Home."
    let refused = CommandError(BackendError.refused(.twoStepRequired))
    let action = AppAction.administer(.twoStep(.required))
    // The list may be loaded again before the change is known to be made, and after.
    for isLate in [false, true] {
      let state = AppScenes.showingAccounts(below: 2)
      #expect(state.type("\n") == nil)
      #expect(state.type("y") == .perform(action))
      if !isLate { _ = state.update(.loaded(.accounts, .failure(refused))) }
      _ = state.update(.finished(action, .success(AppOutcome(made))))
      if isLate { _ = state.update(.loaded(.accounts, .failure(refused))) }
      #expect(state.notice?.text == made)
      #expect(state.tab == .home && state[.accounts].page == nil)
      // It is refused like any other when it is opened again.
      #expect(state.type("8") == .load(.accounts, isActivity: true))
      _ = state.update(.loaded(.accounts, .failure(refused)))
      #expect(state.tab == .home && state.notice?.text.hasPrefix("Administrators of this database need") == true)
      // A form is never on a tab that is not its own.
      #expect(state.type("2") == .load(.pay, isActivity: true))
      _ = state.update(.loaded(.pay, .failure(refused)))
      #expect(state.tab == .pay && state.form?.isTab == true)
      #expect(state.frame.lines[0].hasPrefix("Pay ") && state.frame.lines[1].contains("[Pay]"))
      state.type("\u{1B}")
      #expect(state.tab == .home)
    }
  }

  @Test("an account is deleted once its name was typed, and its row is gone then")
  func deletesAccount() {
    let state = AppScenes.showingAccounts(below: 4)
    for key in [Key.enter, .end, .enter] { #expect(state.update(.key(key)) == nil) }
    #expect(state.form?.purpose == .deleteAccount("bob"))
    #expect(state.type("alice\n") == nil)
    #expect(state.form?.problem?.code == "not_confirmed")
    _ = state.update(.key(.control("u")))
    let action = AppAction.administer(.delete("bob"))
    #expect(state.type("bob\n") == .perform(action))
    // The password was entered too long ago.
    let stale = CommandError(.no, "password_not_recent", "", hint: "")
    _ = state.update(.finished(action, .failure(stale)))
    let password = AppAction.reauthenticate(Secret("correct horse battery"))
    #expect(state.type("correct horse battery\n") == .perform(password))
    #expect(state.update(.finished(password, .success("Confirmed."))) == .perform(action))
    #expect(
      state.update(.finished(action, .success("The account bob is deleted."))) == .load(.accounts, isActivity: false))
    // Its menu is closed before the list is loaded again.
    #expect(state.form == nil && state.menu == nil)
    let page = AppScenes.accounts.with(AppScenes.accounts.rows.filter { $0.id != "bob" })
    _ = state.update(.loaded(.accounts, .success(page)))
    #expect(state.menu == nil && state.selected == 3)
  }

  @Test("a one-time code shows until somebody has seen it, and not beyond the session")
  func showsCode() {
    let state = AppScenes.showingAccounts()
    #expect(state.type("\n") == nil)
    #expect(state.form?.purpose == .createAccount)
    let action = AppAction.administer(.create("bob"))
    #expect(state.type("bob\n") == .perform(action))
    state.type("\u{1B}q")
    #expect(
      state.update(.finished(action, .success(AppOutcome("Created bob.", next: .show(.code(AppScenes.code))))))
        == .load(.accounts, isActivity: false))
    for key in [Key.character("q"), .down, .character("3")] { #expect(state.update(.key(key)) == nil) }
    #expect(state.frame.lines.contains(AppScenes.code.code.text))
    var text = ""
    dump(state, to: &text)
    #expect(!(text + "\(state)").contains("k3v9x"))
    // An Enter that was meant for something else does not take it away.
    #expect(state.type("\n") == nil && state.interruption != nil)
    state.wait(.milliseconds(300))
    #expect(state.type("\n") == nil)
    #expect(!state.frame.lines.contains(AppScenes.code.code.text) && state.tab == .accounts)
    _ = state.update(.finished(action, .success(AppOutcome("Created bob.", next: .show(.code(AppScenes.code))))))
    _ = state.update(.dismissed("You are logged out."))
    if case .ended = state.interruption {} else { Issue.record("the code still shows") }
  }

  @Test("the rules for all accounts are changed after a yes")
  func changesRules() {
    let state = AppScenes.showingAccounts(below: 1)
    #expect(state.type("\n") == nil)
    #expect(state.question?.text == "Close the registration? Then only administrators create accounts.")
    #expect(state.type("y") == .perform(.administer(.registration(.closed))))
    func rules(_ registration: Registration, _ policy: TwoStepPolicy) -> [AppChoice?] {
      AppPage.accounts(Page(of: AppPage.limit, from: []), registration, policy).rows.dropFirst().map(\.choice)
    }
    func changes(_ choice: AppChoice?) -> Administration? {
      guard case .ask(let question) = choice, case .administer(let administration) = question.action else { return nil }
      return administration
    }
    #expect(rules(.closed, .optional).map(changes) == [.registration(.open), .twoStep(.required)])
    #expect(rules(.open, .optional).map(changes) == [.registration(.closed), .twoStep(.required)])
    #expect(rules(.open, .required).map(changes) == [.registration(.closed), .twoStep(.optional)])
  }

  @Test("a letter ends the session of an event, where that is an active one of the user's")
  func eventQuestion() {
    let sessions = ["k3v9", "p7c2"].map { id in
      SessionSummary(
        id: SessionID(rawValue: id), isCurrent: id == "k3v9", label: nil, createdAt: WallTime(microseconds: 0),
        activeAt: WallTime(microseconds: 0), limits: SessionLimits(idle: .never, absolute: .never, fresh: .never))
    }
    let events = ["k3v9", "p7c2", "over"].enumerated().map { index, id in
      Event(
        id: Int64(index), at: WallTime(microseconds: 0), name: "login", account: "alice", actor: nil,
        session: .named(SessionID(rawValue: id)), detail: nil)
    }
    let page = AppPage.events(Page(of: AppPage.limit, from: events), sessions)
    let question = AppQuestion(
      "End session p7c2? Whoever uses it must log in again.", .revoke(SessionID(rawValue: "p7c2")))
    #expect(page.rows.map { $0.letters.first { $0.key == "e" }?.choice } == [.ask(.logOut), .ask(question), nil])
  }

  @Test("more rows load at the end of a list until there are no more, and a filter asks the backend")
  func loadsMore() {
    func receipts(_ count: Int) -> [Receipt] {
      (0..<count).map { index in
        Receipt(
          id: Int64(2000 - index), payer: 100...101 ~= index ? "carol" : "bob", payee: "alice",
          amount: Amount(unchecked: 100), madeAt: WallTime(microseconds: 0), key: nil)
      }
    }
    let profile = Profile(user: AppScenes.alice, balance: 100, createdAt: WallTime(microseconds: 0))
    // There are 1200, and one more is loaded to know whether there are more.
    func page(_ count: Int) -> AppPage {
      AppPage.receipts(Page(of: min(count, count < 1200 ? count - 1 : count), from: receipts(count)), of: profile)
    }
    let state = AppScenes.loggedIn()
    #expect(state.type("3") == .load(.receipts, isActivity: true))
    #expect(state.update(.loaded(.receipts, .success(page(501)))) == nil)
    #expect(state.frame.lines.last?.hasSuffix("1 of 500+") == true)
    #expect(state.type("↓") == nil)
    #expect(state.update(.key(.end)) == .load(.receipts, isActivity: false, AppQuery(rows: 1000)))
    // It is asked for once.
    #expect(state.type("↑") == nil && state.type("↓") == nil)
    #expect(state.update(.loaded(.receipts, .success(page(1001)))) == nil)
    #expect(state.selected == 499 && state.frame.lines.last?.hasSuffix("500 of 1000+") == true)
    // A change elsewhere loads as many again.
    #expect(state.update(.looked(nil)) == .load(.receipts, isActivity: false, AppQuery(rows: 1000)))
    // The filter asks for the rows that are not loaded.
    #expect(state.type("/C") == .load(.receipts, isActivity: false, AppQuery(text: "c")))
    #expect(state.type("a") == .load(.receipts, isActivity: false, AppQuery(text: "ca")))
    #expect(state.frame.lines.contains { $0.hasPrefix("Filter: Ca  in the newest 1000") })
    let found = AppPage.receipts(
      Page(of: 5, from: Array(receipts(1200)[100...101])), of: profile, query: AppQuery(text: "ca"))
    #expect(state.update(.loaded(.receipts, .success(found))) == nil)
    #expect(state.rowsShown.count == 2 && !state.frame.lines.contains { $0.contains("in the newest") })
    #expect(found.chart == nil && state.notice == nil)
    // All rows with this text are there, so a longer text asks for none.
    #expect(state.type("r") == nil && state.rowsShown.count == 2)
    // Without the filter all rows come back, and none of them has just arrived.
    #expect(state.type("\u{1B}") == .load(.receipts, isActivity: false))
    _ = state.update(.loaded(.receipts, .success(page(501))))
    #expect(state.arrived == nil && state.notice == nil)
    // Another tab and back: the filter is gone.
    state.type("/c")
    _ = state.update(.loaded(.receipts, .success(found)))
    #expect(state.type("\n13") == .load(.receipts, isActivity: true) && state.rowsShown.isEmpty)
  }

  @Test("a filter does not look at times, whether or not the backend has more rows")
  func filterIgnoresTimes() {
    let state = AppScenes.showingReceipts()
    state.type("/2026-11")
    #expect(state.rowsShown.isEmpty)
  }

  @Test("a slow backend is asked for the last of the filters that were typed, and for nothing twice")
  func lastFilter() {
    var lane = AppLane()
    func load(_ text: String) -> AppEffect { .load(.receipts, isActivity: false, AppQuery(text: text)) }
    #expect(lane.add(load("b")) == load("b"))
    for effect in [AppEffect.look, load("bo"), .look, load("bob"), load("bob")] { #expect(lane.add(effect) == nil) }
    #expect(lane.finish() == .look && lane.finish() == load("bob") && lane.finish() == nil)
  }

  @Test("where not all accounts are loaded, the filter asks for names that begin so, and s for another order")
  func accountsAreAskedFor() {
    func page(_ query: AppQuery, of names: [String], isPart: Bool = false) -> AppPage {
      let accounts = names.map { name in
        AccountSummary(
          user: User(id: UserID(rawValue: name), username: name, displayName: "Al", role: .member), isDisabled: false,
          createdAt: WallTime(microseconds: 0), failedAttempts: 0, throttle: nil)
      }
      return AppPage.accounts(
        Page(of: isPart ? names.count - 1 : names.count, from: accounts), .open, .optional, query: query)
    }
    func load(_ query: AppQuery, isActivity: Bool = false) -> AppEffect {
      .load(.accounts, isActivity: isActivity, query)
    }
    let state = AppScenes.loggedIn()
    #expect(state.type("8") == load(AppQuery(), isActivity: true))
    // All are there, so nobody has to be asked.
    #expect(state.update(.loaded(.accounts, .success(page(AppQuery(), of: ["bob", "carol"])))) == nil)
    #expect(state.type("/CAR") == nil)
    #expect(state.rowsShown.contains { $0.id == "carol" } && !state.rowsShown.contains { $0.id == "bob" })
    #expect(state.type("\u{1B}") == nil)

    let many = (0..<20).map { "b\($0)" } + ["sally"]
    #expect(state.update(.loaded(.accounts, .success(page(AppQuery(), of: many, isPart: true)))) == nil)
    #expect(state.type("/") == nil)
    #expect(state.type("A") == load(AppQuery(text: "a")))
    #expect(state.type("l") == load(AppQuery(text: "al")))
    // An answer to what was typed before is asked about again only where it may lack something.
    #expect(state.update(.loaded(.accounts, .success(page(AppQuery(text: "a"), of: ["ada", "alice"])))) == nil)
    #expect(state.rowsShown.map(\.id) == ["alice"])
    #expect(state.update(.loaded(.accounts, .success(page(AppQuery(text: "al"), of: ["al", "alice"])))) == nil)
    #expect(state.frame.lines.contains { $0.hasPrefix("Filter: Al  in the first letters of names") })
    #expect(state.type("i") == nil && state.rowsShown.map(\.id) == ["alice"])
    #expect(state.type("\u{1B}") == load(AppQuery()))
    #expect(state.update(.loaded(.accounts, .success(page(AppQuery(), of: many, isPart: true)))) == nil)

    #expect(state.frame.lines.last?.contains("s sort by last login") == true)
    let byLogin = AppQuery(order: .lastLogin)
    #expect(state.type("s") == load(byLogin, isActivity: true))
    let refused = CommandError(.no, "order_not_available", "no index", hint: "")
    #expect(state.update(.loaded(.accounts, .failure(refused))) == nil && state.otherOrder == .lastLogin)
    #expect(state.type("s") == load(byLogin, isActivity: true))
    #expect(state.update(.loaded(.accounts, .success(page(byLogin, of: many)))) == nil)
    #expect(state.frame.lines.last?.contains("s sort by name") == true)
    #expect(state.update(.looked(nil)) == load(byLogin))
  }

  @Test("Enter shows all of a row and what can be done with it, and letters do it in the list and in the details")
  func details() {
    for opens in [false, true] {
      let state = AppScenes.showingReceipts(40, 16)
      if opens {
        #expect(state.type("\n") == nil)
        for line in ["TIME (UTC)  2026-11-21 20:59, just now", "WITH        bob", "> Pay again", "  Copy 160"] {
          #expect(state.frame.lines.contains(line), "\(line)")
        }
      }
      #expect(state.type("y") == .copy("160"))
      #expect(state.notice?.text.hasPrefix("Copied 160") == true)
      #expect(state.type("e") == nil && state.question == nil)
      #expect(state.type("p") == .load(.pay, isActivity: true))
      #expect(state.form?.fields.map(\.typed) == ["bob", "7.00"])
    }
  }

  @Test("the mouse chooses, opens and scrolls; not in a question or a form, and not on a page that comes by itself")
  func mouse() {
    let state = AppScenes.showingReceipts(80, 24)
    let row = (state.frame.lines.firstIndex { $0.contains("156") } ?? 0, 10)
    #expect(state.update(.key(.click(row: row.0, column: row.1))) == nil && state.selected == 4)
    _ = state.update(.key(.click(row: row.0 - 6, column: 3)))
    #expect(state.selected == 4)
    for (key, index) in [(Key.scrollDown, 7), (.scrollUp, 4), (.scrollUp, 1), (.scrollUp, 0)] {
      #expect(state.update(.key(key)) == nil && state.selected == index)
    }
    _ = state.update(.key(.click(row: row.0, column: row.1)))
    #expect(state.update(.key(.click(row: row.0, column: row.1))) == nil && state.menuRow?.id == "156")
    let tab = state.frame.lines[1].split(separator: "5 Sess")[0].count
    #expect(state.update(.key(.click(row: 1, column: tab))) == .load(.sessions, isActivity: true))
    _ = state.update(.loaded(.sessions, .success(AppScenes.sessions)))
    #expect(state.update(.key(.click(row: 0, column: 70))) == nil && state.question == nil)
    #expect(state.update(.key(.click(row: 0, column: 75))) == nil && state.question == .logOut)
    state.type("ne")
    for key in [Key.click(row: 1, column: 2), .scrollDown] { #expect(state.update(.key(key)) == nil) }
    #expect(state.tab == .sessions && state.question == .logOut)
    _ = state.update(.dismissed("You were logged out in another terminal."))
    state.wait(.milliseconds(300))
    #expect(state.update(.key(.click(row: 3, column: 3))) == nil && state.interruption != nil)
    state.interruption = nil
    #expect(state.readsMouse)
    state.type("M")
    #expect(!state.readsMouse)
  }

  @Test("Control with D, U, F, B, N and P moves in a list, and F1 opens the help of the place also in forms")
  func moreKeys() {
    let state = AppScenes.showingReceipts()
    let height = state.list.height
    for (key, index) in [
      (Key.control("n"), 1), (.control("p"), 0), (.control("d"), height / 2), (.control("u"), 0),
      (.control("f"), height),
      (.control("b"), 0),
    ] {
      #expect(state.update(.key(key)) == nil)
      #expect(state.selected == index, "after \(key)")
    }
    func says(_ text: String) -> Bool { state.frame.lines.contains { $0.contains(text) } }
    #expect(state.update(.key(.help)) == nil && says("pay again") && says("filter the list"))
    for key in [Key.escape, .character("2"), .help] { _ = state.update(.key(key)) }
    #expect(says("the next field") && !says("filter the list"))
    #expect(state.update(.key(.help)) == nil && state.help == nil && state.form != nil)
  }

  @Test("why nothing could be found out is said until it can be, and no longer; other notices stay")
  func lookingAgain() {
    let state = AppScenes.loggedIn()
    let problem = CommandError(.no, "unavailable", "The server does not answer.", hint: "Try again.")
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
    let state = AppScenes.loggedIn(columns)
    state.type("3")
    let page = AppPage.receipts(Page(of: AppPage.limit, from: receipts), of: profile)
    _ = state.update(.loaded(.receipts, .success(page)))
    let axis = UTCTime(seconds: 0).local(.seconds).dropFirst(11)
    #expect(state.frame.lines.contains { $0.contains("87.50 to 112.50") })
    #expect(state.frame.lines.contains { $0.hasSuffix("  \(axis)  \(axis)") || $0.contains("  \(axis) ") })
    #expect(!state.frame.lines.contains { $0.contains("…") })
  }

  @Test("a column of the chart is a span of time, and shows the balance at its end")
  func chartTimes() {
    let points = [(0, 100), (10, 300), (90, 800), (100, 0)].map {
      Chart.Point(at: WallTime(microseconds: Int64($0)), value: Int64($1))
    }
    #expect(Chart(points)?.lines(width: 10, height: 1) == ["▄▄▄▄▄▄▄▄█▁"])
    #expect(Chart(points.map { .init(at: points[0].at, value: $0.value) })?.lines(width: 3, height: 1) == ["▁▁▁"])
  }

  @Test("in little room times lose the year, long text its end, and columns are left out; a line below has it all")
  func columnsThatFit() {
    let columns: [Table.Column] = [
      .init(title: "TIME", unit: "UTC"), .init(title: "EVENT"), .init(title: "DETAIL", mayBeCut: true),
      .init(title: "BY"),
    ]
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

  @Test("in Events and Sessions no time and no word is cut at 80 columns; what is left out is shown below the list")
  func longLists() {
    for (digit, tab, page, words) in [
      ("6", AppTab.events, AppScenes.events, ["authn_login_successafterfail", "session p7c2m4x0e5ta"]),
      ("5", .sessions, AppScenes.sessions, ["p7c2m4x0e5ta", "from pts/0, auth-cli, from 192.0.2.7"]),
    ] {
      let state = AppScenes.loggedIn(80)
      state.type(digit)
      _ = state.update(.loaded(tab, .success(page)))
      state.type("↓")
      let text = state.frame.lines.joined(separator: "\n")
      for word in words { #expect(text.contains(word)) }
    }
  }

  @Test("what was wrong goes when one types on, and what to know stays")
  func problemGoes() {
    let state = AppScenes.loggedOut()
    state.type("↓\n\n\n\n")
    func says(_ text: String) -> Bool { state.frame.lines.contains { $0.contains(text) } }
    #expect(says("Username is empty.") && says("at least 15 characters"))
    state.type("c")
    #expect(!says("Username is empty.") && says("at least 15 characters"))
  }

  @Test("tabs have numbers where a number opens one, and none where it is text")
  func numbersOfTabs() {
    let state = AppScenes.loggedIn()
    #expect(state.frame.lines[1] == " [1 Home] 2 Pay 3 Receipts 4 Profile 5 Sessions 6 Events 7 Machine 8 Accounts")
    state.type("2")
    #expect(state.frame.lines[1] == "  Home  [Pay]  Receipts  Profile  Sessions  Events  Machine  Accounts")
    state.type("\u{1B}3")
    _ = state.update(.loaded(.receipts, .success(AppScenes.receipts)))
    state.type("/")
    #expect(state.frame.lines[1].contains("[Receipts]"))
    state.type("\u{1B}")
    #expect(state.frame.lines[1].contains("[3 Receipts]"))
  }

  @Test("pasted text is text in a field and nothing elsewhere")
  func pasted() {
    let state = AppScenes.loggedIn()
    #expect(state.update(.key(.paste(PastedText("q")))) == nil)
    #expect(state.notice != nil)
    state.type("2")
    _ = state.update(.key(.paste(PastedText("bob\n"))))
    #expect(state.form?.fields[0].text == "bob")
    _ = state.update(.key(.paste(PastedText("a\nb"))))
    #expect(state.form?.fields[0].text == "bob")
    #expect(state.form?.problem?.message == "The pasted text has more than one line. Nothing was taken.")
    _ = state.update(.key(.paste(PastedText(String(repeating: "x", count: 600)))))
    #expect(state.form?.fields[0].text == "bob")
    #expect(state.form?.problem != nil)
  }

  @Test("news of the session is no activity, and what a person opens is")
  func activity() {
    let state = AppScenes.showingReceipts()
    #expect(state.update(.looked(nil)) == .load(.receipts, isActivity: false))
    #expect(state.type("4") == .load(.profile, isActivity: true))
  }

  @Test("quitting waits for what is under way, and a second time does not")
  func quits() {
    let state = AppScenes.loggedIn()
    #expect(state.type("l") == nil)
    #expect(state.type("y") == .perform(.logOut))
    #expect(state.type("q") == nil)
    #expect(state.update(.finished(.logOut, .success("Logged out."))) == .quit)
    let impatient = AppScenes.loggedIn()
    #expect(impatient.type("lyqq") == .quit)
  }

  @Test("a wait after wrong guesses counts down, and nothing is drawn but its words")
  func countsDown() {
    let state = AppScenes.loggedOut()
    state.type("lalice\nwrong\n")
    let action = AppAction.logIn(Credentials.password(username: "alice", password: Secret("wrong")))
    _ = state.update(.finished(action, .failure(CommandError(.wait(.seconds(180))))))
    func says(_ text: String) -> Bool { state.frame.lines.contains(text) }
    #expect(says("Try again in 3 min.") && state.nextChange == .seconds(60))
    state.wait(.seconds(61))
    #expect(says("Try again in 119 s.") && state.nextChange == .seconds(62))
    state.wait(.seconds(118))
    #expect(says("Try again in 1 s.") && state.nextChange == .seconds(180))
    state.wait(.seconds(1))
    #expect(says("You can try again now.") && state.nextChange == nil)
  }

  @Test("in its last minute the screen says that the session ends, and a key continues one that waits for activity")
  func sessionEnds() {
    let state = AppScenes.loggedIn()
    func says(_ text: String) -> Bool { state.frame.lines.contains { $0.contains(text) } }
    _ = state.update(.ends(in: .seconds(300), isIdle: true))
    state.type("↓")
    #expect(!says("session ends") && state.nextChange == .seconds(240) && state.renewals == 0)
    state.wait(.seconds(250))
    #expect(says("Your session ends in 50 s; any key continues it.") && state.nextChange == .seconds(251))
    // The key does what it does everywhere, too.
    #expect(state.type("7") == .load(.machine, isActivity: true) && state.renewals == 1)
    _ = state.update(.ends(in: .seconds(1800), isIdle: true))
    #expect(!says("session ends"))
    _ = state.update(.ends(in: .seconds(30), isIdle: false))
    state.type("↓")
    #expect(says("Your session ends in 30 s; then log in again.") && state.renewals == 1)
    _ = state.update(.button(.logIn))
    #expect(!says("session ends") && state.nextChange != .seconds(251))
  }

  @Test("money that arrives is marked for five seconds, and said once")
  func arrives() {
    let state = AppScenes.loggedIn()
    state.type("3")
    func marked() -> [String] { state.frame.lines.filter { $0.dropFirst().hasPrefix("+") } }
    let older = AppScenes.receipts.with(Array(AppScenes.receipts.rows.dropFirst(4)))
    for page in [older, older] { _ = state.update(.loaded(.receipts, .success(page))) }
    #expect(marked() == [] && state.notice == nil)
    // Of the four, the first and the fourth are paid to her; she pays the others.
    _ = state.update(.loaded(.receipts, .success(AppScenes.receipts)))
    #expect(marked().count == 2 && state.notice?.text == "2 payments arrived.")
    #expect(state.nextChange == .seconds(5))
    state.wait(.seconds(5))
    #expect(marked() == [] && state.nextChange == nil)

    let payer = AppScenes.loggedIn()
    payer.type("2")
    for balance in [100, 750, 600] as [Int64] {
      _ = payer.update(.loaded(.pay, .success(AppPage(lines: ["x"], balance: balance))))
      #expect(payer.notice?.text == (balance == 100 ? nil : "6.50 arrived."))
    }
  }

  @Test("the names of payees, and of whoever was logged in here, are completed")
  func completes() {
    let state = AppScenes.loggedIn()
    state.type("2")
    let page = AppPage(lines: ["Your balance is 1.00."], balance: 100, names: ["bob", "carol", "carl"])
    _ = state.update(.loaded(.pay, .success(page)))
    state.type("Ca")
    #expect(state.frame.lines.contains { $0.contains("[Carol") } && state.form?.fields[0].typed == "Ca")
    #expect(state.frame.lines.last?.contains("Tab carol") == true)
    state.type("\t")
    #expect(state.form?.fields[0].typed == "Carol" && state.form?.focus == 1)
    state.type("1")
    #expect(state.form.flatMap { state.completion(of: $0) } == nil)

    let profile = Profile(user: AppScenes.alice, balance: 0, createdAt: WallTime(microseconds: 0))
    let receipts = [
      ("alice", "bob"), ("carol", "alice"), ("alice", "bob"), (nil, "alice"), ("alice", "deleted account"),
    ]
    .map { payer, payee in
      Receipt(
        id: 1, payer: payer, payee: payee, amount: Amount(unchecked: 1), madeAt: WallTime(microseconds: 0), key: nil)
    }
    #expect(AppPage.pay(profile, receipts).names == ["bob", "carol"])

    _ = state.update(.button(.logIn))
    let login = AppScenes.loggedIn()
    _ = login.update(.button(.logIn))
    login.type("lal→")
    #expect(login.form?.fields[0].typed == "alice")
  }

  @Test("details say how long ago it was, and that changes by the minute")
  func relativeTimes() {
    let state = AppState(columns: 80, rows: 24, epoch: AppScenes.now + 1_000)
    _ = state.update(.button(.logOut(AppScenes.alice)))
    state.type("3")
    _ = state.update(.loaded(.receipts, .success(AppScenes.receipts)))
    #expect(state.nextChange == nil)
    state.type("\n")
    #expect(state.frame.lines.contains { $0.hasSuffix(", 16 min ago") } && state.nextChange == .seconds(20))
    state.wait(.seconds(20))
    #expect(state.frame.lines.contains { $0.hasSuffix(", 17 min ago") })
    for (seconds, words) in [(59, "just now"), (60, "1 min ago"), (7_200, "2 h ago"), (172_800, "2 days ago")] {
      #expect(Deadlines.ago(Int64(seconds)) == words)
    }
  }

  @Test("every way from one state to another has an arrow in the diagram, and no other has")
  func arrows() throws {
    let view = MachineView(present: .loggedIn, table: .shipped, steps: [])
    let lines = view.diagram().map { Array($0.text) }
    let kinds = SessionState.Kind.allCases
    let table = MachineTable.shipped
    let edge = try #require(lines[0].firstIndex(of: "┐"))
    func at(_ row: Int, _ column: Int) -> Character {
      lines.indices.contains(row) && lines[row].indices.contains(column) ? lines[row][column] : " "
    }
    for (from, source) in kinds.enumerated() {
      // Follows the line out of the state through its joints, and each lane to its end.
      var reached: Set<String> = []
      var column = edge + 1
      while "─┬┐┤┼│┴┘ ".contains(at(2 * from + 1, column)), column < lines[0].count + 40 {
        if "┬┐┤┼┴┘".contains(at(2 * from + 1, column)) {
          for step in [-1, 1] {
            var row = 2 * from + 1
            let leaves = step < 0 ? "┤┼┴┘" : "┬┐┤┼"
            guard leaves.contains(at(row, column)) else { continue }
            while true {
              row += step
              if row % 2 == 0, "┐┘┤".contains(at(row, column)) { reached.insert(kinds[row / 2].rawValue) }
              guard "│┤┼┬┴".contains(at(row, column)) else { break }
            }
          }
        }
        column += 1
      }
      let wanted = kinds.filter { $0 != source && table.hasArrow(from: source.rawValue, to: $0.rawValue) }.map(
        \.rawValue)
      #expect(reached == Set(wanted), "\(source.rawValue)")
    }
  }

  @Test("without accounts Home says so and begins with the first one, and whoever creates one is logged in")
  func firstAccount() {
    for isLoggedIn in [true, false] {
      let state = AppState(columns: 80, rows: 24)
      _ = state.update(.looked(nil, isEmpty: true))
      #expect(state.frame.lines.contains("There are no accounts yet. The first one administers the others."))
      #expect(state.type("\n") == .load(.home, isActivity: false) && state.form?.purpose == .register)
      for text in ["alice", "correct horse battery", "correct horse battery"] {
        state.type(text)
        if state.form?.focus != 2 { state.type("\n") }
      }
      #expect(state.type("\n") == .perform(.register(Self.credentials)))
      if isLoggedIn { _ = state.update(.button(.logOut(AppScenes.alice))) }
      _ = state.update(.finished(.register(Self.credentials), .success("Created alice.")))
      #expect(state.form?.purpose == (isLoggedIn ? nil : .logIn(then: .home, username: "alice")))
      #expect(state.notice?.text == "Created alice." && state.tab == .home)
    }
  }

  @Test("a forgotten password is set anew with a code, from the login with its name")
  func forgotten() {
    let state = AppScenes.loggedOut()
    state.type("lalice")
    #expect(state.frame.lines.last?.contains("Ctrl-R forgotten?") == true)
    #expect(state.update(.key(.control("r"))) == nil && state.form?.purpose == .recover(username: "alice"))
    for text in ["k3v9x", "quiet meadow lantern", "quiet meadow"] {
      state.type(text)
      if state.form?.focus != 3 { state.type("\n") }
    }
    #expect(state.type("\n") == nil)
    #expect(state.form?.problem?.code == "passwords_differ" && state.form?.focus == 2)
    #expect(state.form?.fields.map(\.typed) == ["alice", "k3v9x", "", ""])
    for text in ["quiet meadow lantern", "quiet meadow lantern"] {
      state.type(text)
      if state.form?.focus == 2 { state.type("\n") }
    }
    let action = AppAction.recover(
      username: "alice", code: Secret("k3v9x"), new: Secret("quiet meadow lantern"))
    #expect(state.type("\n") == .perform(action))
    _ = state.update(.finished(action, .success("The new password is set; all sessions are ended. Log in now.")))
    #expect(state.form?.purpose == .logIn(then: .home, username: "alice"))
    // Elsewhere it is no command.
    state.type("\u{1B}")
    #expect(state.update(.key(.control("r"))) == nil && state.form == nil)
  }

  @Test("the Profile tab sets up and ends a second step, and a wrong code leaves the secret where it is")
  func ownSecondStep() {
    let profile = Profile(user: AppScenes.alice, balance: 0, createdAt: WallTime(microseconds: 0))
    func choice(_ isOn: Bool) -> AppChoice? {
      let state = TwoStepState(
        since: isOn ? WallTime(microseconds: 0) : nil, isPending: false, recoveryCodes: 9, isRequired: false)
      return AppPage.profile(profile, state).rows.first { $0.id == "Second step" }?.choice
    }
    #expect(choice(true) == .fill(.endTwoStep) && choice(false) == .perform(.beginTwoStep))
    let state = AppScenes.loggedIn()
    #expect(state.perform(.beginTwoStep) == .perform(.beginTwoStep))
    let secret = AppSecret(text: "JBSWY3DP", picture: [])
    #expect(
      state.update(.finished(.beginTwoStep, .success(AppOutcome("", next: .fill(.confirmTwoStep(secret)))))) == nil)
    #expect(state.frame.lines.contains("Secret: JBSWY3DP") && state.notice == nil)
    #expect(state.frame.lines.contains(QRCode.missing))
    let confirm = AppAction.confirmTwoStep(Secret("123456"))
    #expect(state.type("123456\n") == .perform(confirm))
    _ = state.update(.finished(confirm, .failure(CommandError(code: .wrongCode))))
    #expect(state.frame.lines.contains("Secret: JBSWY3DP") && state.form?.fields[0].isEmpty == true)
    state.type("123456\n")
    _ = state.update(.finished(confirm, .success("The second step is on.")))
    #expect(state.form == nil && state.notice?.text == "The second step is on.")
  }

  @Test("after the second step was turned on, the question whether to end the other sessions follows")
  func otherSessions() {
    let confirm = AppAction.confirmTwoStep(Secret("123456"))
    let question = AppQuestion("End your 2 other sessions? They started without a code.", .revokeOthers)
    func confirmed() -> AppState {
      let state = AppScenes.loggedIn()
      state.form = AppForm(.confirmTwoStep(AppSecret(text: "JBSWY3DP", picture: [])))
      state.type("123456\n")
      return state
    }
    let state = confirmed()
    _ = state.update(.finished(confirm, .success(AppOutcome("It is on.", next: .ask(question)))))
    #expect(state.form == nil && state.frame.lines.contains { $0.hasPrefix("End your 2 other sessions?") })
    #expect(state.type("y") == .perform(.revokeOthers))
    #expect(state.update(.finished(.revokeOthers, .success("Ended."))) == nil && state.notice?.text == "Ended.")
    // Nobody is asked who left the form.
    let left = confirmed()
    left.type("\u{1B}")
    _ = left.update(.finished(confirm, .success(AppOutcome("It is on.", next: .ask(question)))))
    #expect(left.question == nil && left.notice?.text == "It is on.")
  }

  @Test("recovery codes are shown once, all of them also in few rows, and your own account is deleted after its name")
  func ownAccount() {
    let state = AppScenes.loggedIn(40, 10)
    _ = state.update(
      .finished(.makeRecoveryCodes, .success(AppOutcome("You have new recovery codes.", next: .show(AppScenes.codes)))))
    var seen = Set(state.frame.lines)
    for _ in 0..<8 {
      state.type("↓")
      seen.formUnion(state.frame.lines)
    }
    #expect((0..<10).allSatisfy { number in seen.contains { $0.hasPrefix("k3v9\(number)-") } })
    state.interruption = nil
    _ = state.choose(.fill(.deleteOwnAccount("alice")))
    #expect(state.type("bob\n") == nil && state.form?.problem?.code == "not_confirmed")
    _ = state.update(.key(.control("u")))
    #expect(state.type("alice\n") == .perform(.deleteOwnAccount))
    // That its session ends is no surprise.
    _ = state.update(.dismissed("You are logged out: the account was deleted."))
    #expect(state.interruption == nil)
    _ = state.update(.button(.logIn))
    _ = state.update(.finished(.deleteOwnAccount, .success("Your account is deleted.")))
    #expect(state.notice?.text == "Your account is deleted.")
  }

  @Test("an administrator without the second step that is required sets it up from Home")
  func requiredSecondStep() {
    let state = AppScenes.loggedIn()
    state.type("3")
    _ = state.update(.loaded(.receipts, .failure(CommandError(BackendError.refused(.twoStepRequired)))))
    #expect(state.tab == .home && state.frame.lines.contains("> Set up a second step"))
    #expect(state.type("\n") == .perform(.beginTwoStep))
  }

  @Test("two passwords that differ are asked for again")
  func repeats() {
    let state = AppScenes.loggedOut()
    state.type("↓\n")
    #expect(state.form?.purpose == .register)
    #expect(state.type("carol\ncorrect horse battery\ncorrect horse batter\n") == nil)
    #expect(state.form?.problem?.code == "passwords_differ")
    #expect(state.form?.fields.map(\.typed) == ["carol", "", ""])
    #expect(state.form?.focus == 1)
  }

  @Test("that registration is closed is said in place of the form, and not in place of another one")
  func registrationClosed() throws {
    let closed = CommandError(BackendError.refused(.registrationClosed))
    for keys in [[], [Key.escape], [.escape, .character("l")]] {
      let state = AppScenes.loggedOut()
      #expect(state.type("↓\n") == .load(.home, isActivity: false))
      _ = state.update(.loaded(.home, .failure(CommandError(BackendError.refused(.usernameTaken, "x")))))
      #expect(state.form?.purpose == .register && state.interruption == nil)
      for key in keys { _ = state.update(.key(key)) }
      #expect(state.update(.loaded(.home, .failure(closed))) == nil)
      #expect(state.form?.purpose == (keys.count == 2 ? .logIn(then: .home) : nil))
      let said = "Registration is closed. Ask an administrator to create the account."
      #expect(state.frame.lines.contains(said) == keys.isEmpty)
      // What was being typed into the form is no command.
      if keys.isEmpty { for typed in [Key.character("q"), .enter] { #expect(state.update(.key(typed)) == nil) } }
      #expect(state.frame.lines.contains(said) == keys.isEmpty)
    }
  }

  @Test("a check that goes on when its form is left says so until its end shows")
  func goesOn() {
    let state = AppScenes.loggedIn()
    state.type("2bob\n12.50\ny")
    _ = state.update(.finished(AppScenes.payment, .failure(CommandError(code: .passwordNotRecent))))
    let password = AppAction.reauthenticate(Secret("wrong"))
    #expect(state.type("wrong\n") == .perform(password))
    state.type("\u{1B}")
    #expect(state.notice?.text == "Checking the password continues; its result shows here.")
    _ = state.update(.finished(password, .failure(CommandError(code: .wrongPassword))))
    #expect(state.notice?.text.hasPrefix("Wrong password.") == true && state.form?.problem == nil)
    #expect(state.form?.fields.map(\.typed) == ["bob", "12.50"])
  }

  @Test("a payment is made again with payee and amount, and asks first")
  func paysAgain() {
    let state = AppScenes.showingReceipts()
    let receipt = Receipt(
      id: 7, payer: "alice", payee: "bob", amount: Amount(unchecked: 1250), madeAt: WallTime(microseconds: 0), key: nil)
    let profile = Profile(user: AppScenes.alice, balance: 8750, createdAt: WallTime(microseconds: 0))
    let page = AppPage.receipts(Page(of: AppPage.limit, from: [receipt]), of: profile)
    _ = state.update(.loaded(.receipts, .success(page)))
    #expect(state.type("p") == .load(.pay, isActivity: true))
    #expect(state.form?.fields.map(\.typed) == ["bob", "12.50"] && state.form?.focus == 1)
    #expect(state.type("\n") == nil)
    #expect(state.question?.text == "Pay 12.50 to bob?")
  }

  @Test("the help scrolls where it does not fit, and other keys close it")
  func scrollsHelp() {
    let state = AppScenes.loggedIn(40, 10)
    state.type("?")
    func shown() -> [String] { Array(state.frame.lines[3..<8]) }
    let first = shown()
    #expect(
      first[0] == "↑ ↓ k j     choose a line, as Ctrl-P -N" && state.frame.lines[9] == "↑↓ scroll  other keys: back")
    #expect(state.type("↑") == nil && shown() == first)
    state.type("↓")
    #expect(shown().dropLast() == first.dropFirst())
    var seen = Set(first)
    while !shown()[4].hasSuffix("auth-cli help.") {
      let before = shown()
      _ = state.update(.key(.pageDown))
      if shown() == before { break }
      seen.formUnion(shown())
    }
    for key in ["q ", "l ", "m ", "M ", "PgUp ", "Home ", "Tab ", "F1 "] {
      #expect(seen.contains { $0.hasPrefix(key) }, "\(key)")
    }
    let last = shown()
    #expect(last[4].hasSuffix("auth-cli help."))
    _ = state.update(.key(.pageDown))
    #expect(shown() == last)
    #expect(state.type("q") == nil && state.help == nil)
    _ = state.update(.resized(columns: 80, rows: 40))
    state.type("?")
    #expect(state.frame.lines[39] == "any key: back")
    #expect(state.type("↓") == nil && state.help == nil)
  }

  @Test("random keys and news: it never traps, and without a session no guarded tab is open")
  func random() {
    var random = SeededGenerator(seed: 11)
    let keys: [Key] = [
      .enter, .escape, .tab, .backTab, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .backspace, .delete,
      .character("y"), .character("n"), .character("l"), .character("/"), .character("?"), .character("m"),
      .character("1"), .character("2"), .character("3"), .character("5"), .character("8"),
      .character("e\u{301}".unicodeScalars.last ?? "x"),
      .control("w"), .control("u"), .paste(PastedText("日本")), .help,
    ]
    for _ in 0..<(Effort.isComplete ? 200 : 40) {
      let state = AppScenes.loggedOut(.random(in: 1...90, using: &random), .random(in: 1...30, using: &random))
      for _ in 0..<80 {
        let message: AppMessage =
          switch Int.random(in: 0..<12, using: &random) {
          case 0: .button(.logOut(AppScenes.alice))
          case 1: .button(.logIn)
          case 2: .dismissed("the session was revoked")
          case 3: .loaded(state.tab, .success(AppScenes.sessions))
          case 4: state.work.map { .finished($0, .success("Done.")) } ?? .looked(nil)
          case 5:
            state.work.map { .finished($0, .failure(CommandError(code: .passwordNotRecent))) }
              ?? .looked(nil)
          case _: .key(keys.randomElement(using: &random) ?? .enter)
          }
        if state.update(message) == .quit { break }
        #expect(state.user != nil || !state.tab.isGuarded)
        _ = state.frame
      }
    }
  }
}
