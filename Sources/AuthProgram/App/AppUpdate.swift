import AuthCore
import CommandLineKit

/// What happened.
enum AppMessage: Sendable {
  case key(Key)
  case resized(columns: Int, rows: Int)
  /// The button of the navigation bar is this now.
  case button(NavigationBar.Button)
  /// The screens of the user were dismissed; the sentence says why.
  case dismissed(String)
  case loaded(AppTab, Result<AppPage, AppProblem>)
  /// An action came to its end; the text says what was done.
  case finished(AppAction, Result<String, AppProblem>)
  /// It was found out who is logged in, at first and when something changed outside; the problem is
  /// why that failed.
  case looked(AppProblem?)
  /// The work has been going on for so many seconds.
  case elapsed(Int)
}

/// What to do.
enum AppEffect: Equatable, Sendable {
  /// Load the tab; whether a person asked for it, which is activity.
  case load(AppTab, isActivity: Bool)
  case perform(AppAction)
  case quit
}

extension AppState {
  /// Takes in what happened, and says what to do about it.
  ///
  /// Nothing else changes the state.
  mutating func update(_ message: AppMessage) -> [AppEffect] {
    switch message {
    case .key(let key): return press(key)
    case .resized(let columns, let rows):
      (self.columns, self.rows) = (columns, rows)
      return []
    case .button(let button): return take(button)
    case .dismissed(let sentence): return close(because: sentence)
    // Loaded for somebody who is logged out now: the notice of why stays.
    case .loaded(let tab, _) where tab.isGuarded && user == nil: return []
    case .loaded(let tab, .success(let page)):
      pages[tab] = page
      return []
    case .loaded(let tab, .failure(let problem)):
      warn(problem)
      if tab == self.tab, pages[tab] == nil { self.tab = .home }
      return []
    case .finished(let action, let result): return finish(action, result)
    case .looked(let problem):
      isRestored = true
      // What could not be found out before is known now.
      if problem == nil, notice != nil, notice == lookNotice { notice = nil }
      lookNotice = nil
      if let problem {
        warn(problem)
        lookNotice = notice
      }
      return refresh()
    case .elapsed(let seconds):
      work?.seconds = seconds
      return []
    }
  }

  private mutating func warn(_ problem: AppProblem) {
    notice = AppNotice(text: "\(problem.message) \(problem.hint)", style: .bad)
  }

  private mutating func say(_ text: String) {
    notice = AppNotice(text: text, style: .good)
  }

  private mutating func take(_ button: NavigationBar.Button) -> [AppEffect] {
    let before = user
    self.button = button
    isRestored = true
    guard user?.id != before?.id else { return user == before ? [] : refresh() }
    pages = pages.filter { !$0.key.isGuarded }
    (positions, draft) = ([:], nil)
    if tab.isGuarded, user == nil { tab = .home }
    if let user, work == nil { say("\(user.username) is logged in.") }
    return refresh()
  }

  /// Loads again what is shown, because it may have changed.
  private func refresh() -> [AppEffect] {
    switch tab {
    case .home: []
    case .machine: [.load(.machine, isActivity: false)]
    case .pay, .receipts, .profile, .sessions, .events, .accounts:
      user == nil ? [] : [.load(tab, isActivity: false)]
    }
  }

  /// The session is over: what belongs to it closes, and Home says why.
  private mutating func close(because sentence: String) -> [AppEffect] {
    pages = pages.filter { !$0.key.isGuarded }
    if let purpose = form?.purpose {
      switch purpose {
      case .pay, .rename, .changePassword, .reauthenticate: form = nil
      case .logIn, .register: break
      }
    }
    (question, heldForm, draft) = (nil, nil, nil)
    if tab.isGuarded { tab = .home }
    notice = work?.action == .logOut ? nil : AppNotice(text: sentence, style: .bad)
    return refresh()
  }

  // MARK: Actions

  private mutating func perform(_ action: AppAction) -> [AppEffect] {
    guard work == nil else {
      notice = AppNotice(text: "Something else is still going on. Try again in a moment.", style: .bad)
      return []
    }
    work = AppProgress(action: action)
    notice = nil
    return [.perform(action)]
  }

  private mutating func finish(_ action: AppAction, _ result: Result<String, AppProblem>) -> [AppEffect] {
    work = nil
    if isQuitting { return [.quit] }
    switch result {
    case .success(let text): return succeed(action, text)
    case .failure(let problem):
      if problem.code == "password_not_recent" {
        // What was meant is done after the password.
        (heldForm, form) = (form, .reauthenticate(then: action))
        return []
      }
      guard form != nil else {
        warn(problem)
        return refresh()
      }
      form?.clearSecrets()
      form?.problem = problem
      return []
    }
  }

  private mutating func succeed(_ action: AppAction, _ text: String) -> [AppEffect] {
    let purpose = form?.purpose
    say(text)
    switch action {
    case .logIn:
      form = nil
      if case .logIn(let then) = purpose { return open(then, keepingNotice: true) }
      return []
    case .register(let credentials):
      if purpose == .register { form = .logIn(then: .home, username: credentials.username) }
      return []
    case .reauthenticate:
      guard case .reauthenticate(let then) = purpose else { return [] }
      (form, heldForm) = (heldForm, nil)
      return perform(then)
    case .pay:
      if case .pay = purpose { form = newPayment() }
      return refresh()
    case .rename, .changePassword:
      form = nil
      return refresh()
    case .logOut: return []
    case .revoke, .changeAccount: return refresh()
    }
  }

  /// Ends the program; what is under way is waited for, unless somebody insists.
  private mutating func quit() -> [AppEffect] {
    guard work != nil, !isQuitting else { return [.quit] }
    isQuitting = true
    return []
  }

  private mutating func newPayment(to payee: String = "") -> AppForm {
    payments += 1
    return .pay(to: payee, number: payments)
  }

  private mutating func open(_ tab: AppTab, keepingNotice: Bool = false) -> [AppEffect] {
    if !keepingNotice { notice = nil }
    (filter, isFiltering) = ("", false)
    guard !tab.isGuarded || user != nil else {
      form = .logIn(then: tab)
      return []
    }
    self.tab = tab
    if let form, form.isTab { draft = form }
    form = tab == .pay ? draft ?? newPayment() : nil
    switch tab {
    case .home: return []
    case .pay, .receipts, .profile, .sessions, .events, .machine, .accounts: return [.load(tab, isActivity: true)]
    }
  }

  private mutating func choose(_ choice: AppChoice) -> [AppEffect] {
    notice = nil
    switch choice {
    case .open(let tab): return open(tab)
    case .logIn: form = .logIn(then: tab)
    case .logOut: question = .logOut
    case .register: form = .register
    case .rename: form = .rename(user?.displayName ?? "")
    case .changePassword: form = .changePassword
    case .quit: return quit()
    case .ask(let question): self.question = question
    case .pay(let payee):
      let effects = open(.pay)
      form = newPayment(to: payee)
      return effects
    }
    return []
  }

  // MARK: Keys

  private mutating func press(_ key: Key) -> [AppEffect] {
    if isHelpShown {
      isHelpShown = false
      return []
    }
    if let question { return answer(question, key) }
    if form != nil { return fill(key) }
    if isFiltering { return type(key) }
    switch key {
    case .character("q"): return quit()
    case .character("?"): isHelpShown = true
    case .character("m"): return open(.machine)
    case .character("l"): return choose(user == nil ? .logIn : .logOut)
    case .character("/") where !(page?.rows ?? []).isEmpty: (isFiltering, notice) = (true, nil)
    case .character(let digit) where ("1"..."9").contains(digit):
      let index = Int(digit.value - 0x31)
      return index < tabs.count ? open(tabs[index]) : []
    case .tab, .right: return step(by: 1)
    case .backTab, .left: return step(by: -1)
    case .up, .character("k"): move(by: -1)
    case .down, .character("j"): move(by: 1)
    case .pageUp: move(by: -max(1, rows - 6))
    case .pageDown: move(by: max(1, rows - 6))
    case .home, .character("g"): move(by: -.max / 2)
    case .end, .character("G"): move(by: .max / 2)
    case .enter:
      if let selected, let choice = rowsShown[selected].action { return choose(choice) }
    case .escape:
      if notice != nil || !filter.isEmpty { (notice, filter) = (nil, "") } else if tab != .home { return open(.home) }
    case .paste, .unusablePaste:
      notice = AppNotice(text: "Text can be pasted where something is to be typed.", style: .bad)
    case .character, .control, .backspace, .delete, .unknown: break
    }
    return []
  }

  private mutating func step(by count: Int) -> [AppEffect] {
    let index = tabs.firstIndex(of: tab) ?? 0
    return open(tabs[(index + count + tabs.count) % tabs.count])
  }

  private mutating func move(by count: Int) {
    let rows = rowsShown
    guard let selected else { return }
    let index = min(max(0, selected + count), rows.count - 1)
    positions[tab] = AppPosition(index: index, id: rows[index].id)
  }

  private mutating func answer(_ question: AppQuestion, _ key: Key) -> [AppEffect] {
    switch key {
    case .character("n"), .character("N"), .escape: self.question = nil
    case .character(let scalar):
      guard let answer = question.answers.first(where: { $0.key.value == scalar.value | 0x20 }) else { break }
      self.question = nil
      return perform(answer.action)
    case .control, .enter, .tab, .backTab, .backspace, .delete, .up, .down, .left, .right, .home, .end,
      .pageUp, .pageDown, .paste, .unusablePaste, .unknown:
      break
    }
    return []
  }

  private mutating func type(_ key: Key) -> [AppEffect] {
    switch key {
    case .enter, .down, .up: isFiltering = false
    case .escape: (filter, isFiltering) = ("", false)
    case .backspace where filter.isEmpty: isFiltering = false
    case _:
      var input = AppInput(filter)
      if let problem = input.edit(key) { notice = AppNotice(text: problem, style: .bad) }
      filter = input.text
    }
    return []
  }

  private mutating func fill(_ key: Key) -> [AppEffect] {
    guard var form else { return [] }
    guard work == nil else {
      // What is under way goes on; nobody has to wait for it.
      if key == .escape { leaveForm() }
      return []
    }
    notice = nil
    switch key {
    case .escape:
      leaveForm()
      return []
    case .tab where form.isTab && form.focus == form.fields.count - 1: return step(by: 1)
    case .backTab where form.isTab && form.focus == 0: return step(by: -1)
    case .right where form.isTab && form.fields[form.focus].input.text.isEmpty: return step(by: 1)
    case .left where form.isTab && form.fields[form.focus].input.text.isEmpty: return step(by: -1)
    case .tab, .down: form.focus = (form.focus + 1) % form.fields.count
    case .backTab, .up: form.focus = (form.focus + form.fields.count - 1) % form.fields.count
    case .enter where form.focus < form.fields.count - 1: form.focus += 1
    case .enter:
      let action = form.submit()
      self.form = form
      guard let action else { return [] }
      if case .pay(let amount, let payee, _) = action {
        question = AppQuestion(text: "Pay \(amount) to \(payee)?", action: action)
        return []
      }
      return perform(action)
    case _:
      if let problem = form.fields[form.focus].input.edit(key) {
        form.problem = AppProblem(code: "not_taken", message: problem, hint: "")
      }
    }
    self.form = form
    return []
  }

  private mutating func leaveForm() {
    if let work { notice = AppNotice(text: "\(work.action.progress) goes on; its end shows here.", style: .strong) }
    if case .reauthenticate = form?.purpose {
      (form, heldForm) = (heldForm, nil)
      return
    }
    (form, draft) = (nil, nil)
    if tab == .pay { tab = .home }
  }
}
