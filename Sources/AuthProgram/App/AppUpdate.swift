import AuthBackend
import AuthCore
import CommandLineKit

/// What happened.
indirect enum AppMessage: Sendable {
  case key(Key)
  case resized(columns: Int, rows: Int)
  /// The button of the navigation bar is this now.
  case button(NavigationBar.Button)
  /// The screens of the user were dismissed; the sentence says why.
  case dismissed(String)
  case loaded(AppTab, Result<AppPage, AppProblem>)
  /// An action came to its end; the text says what was done. A code that was made is shown once.
  case finished(AppAction, Result<String, AppProblem>, code: OneTimeCode? = nil)
  /// It was found out who is logged in, at first and when something changed outside; the problem is
  /// why that failed.
  case looked(AppProblem?)
  /// The work has been going on for so many seconds.
  case elapsed(Int)
}

/// What to do.
indirect enum AppEffect: Equatable, Sendable {
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
      self[tab].page = page
      if menuRow == nil { menu = nil }
      return []
    case .loaded(let tab, .failure(let problem)):
      warn(problem)
      if tab == self.tab, self[tab].page == nil { self.tab = .home }
      return []
    case .finished(let action, let result, let code): return finish(action, result, code)
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
    forgetUser()
    if tab.isGuarded, user == nil { tab = .home }
    if let user, work == nil { say("\(user.username) is logged in.") }
    return refresh()
  }

  /// Closes what belongs to a user.
  private mutating func forgetUser() {
    for tab in AppTab.allCases where tab != .machine { self[tab] = AppView() }
    (menu, draft, code) = (nil, nil, nil)
  }

  /// Loads again what is shown, because it may have changed.
  private func refresh() -> [AppEffect] {
    tab == .home || tab.isGuarded && user == nil ? [] : [.load(tab, isActivity: false)]
  }

  /// The session is over: what belongs to it closes, and Home says why.
  private mutating func close(because sentence: String) -> [AppEffect] {
    forgetUser()
    if let form, !form.isForAnybody { self.form = nil }
    question = nil
    if tab.isGuarded { tab = .home }
    notice = work?.action == .logOut ? nil : AppNotice(text: sentence, style: .bad)
    return refresh()
  }

  // MARK: Actions

  mutating func perform(_ action: AppAction) -> [AppEffect] {
    guard work == nil else {
      notice = AppNotice(text: "Something else is still going on. Try again in a moment.", style: .bad)
      return []
    }
    work = AppProgress(action: action)
    notice = nil
    return [.perform(action)]
  }

  private mutating func finish(
    _ action: AppAction, _ result: Result<String, AppProblem>, _ code: OneTimeCode?
  ) -> [AppEffect] {
    work = nil
    self.code = code
    // A code is not made again: it is seen first.
    if isQuitting, code == nil { return [.quit] }
    isQuitting = false
    switch result {
    case .success(let text): return succeed(action, text)
    case .failure(let problem):
      if problem.code == "password_not_recent" {
        // What was meant is done after the password.
        cover(with: .reauthenticate(then: action))
        return []
      }
      if problem.code == ErrorCode.codeMissing.rawValue {
        form?.clearSecrets()
        cover(with: .secondStep(of: action))
        return []
      }
      // The password is needed again.
      if problem.code == ErrorCode.challengeOver.rawValue, case .secondStep = form?.purpose { uncover() }
      guard form != nil else {
        warn(problem)
        return refresh()
      }
      form?.clearSecrets()
      form?.problem = problem
      // The payee is to be mended.
      if form?.isTab == true, problem.code == BackendError.Code.payeeUnknown.rawValue { form?.focus = 0 }
      return []
    }
  }

  private mutating func succeed(_ action: AppAction, _ text: String) -> [AppEffect] {
    let purpose = form?.purpose
    say(text)
    switch action {
    case .logIn:
      form = nil
      if case .logIn(let then, _) = purpose { return open(then, keepingNotice: true) }
      return []
    case .answer:
      guard case .secondStep(let first) = purpose else { return [] }
      uncover()
      if case .changePassword = first { return perform(first) }
      return succeed(first, text)
    case .cancelAnswer: return []
    case .register(let credentials):
      if purpose == .register { form = AppForm(.logIn(then: .home, username: credentials.username)) }
      return []
    case .reauthenticate:
      guard case .reauthenticate(let then) = purpose else { return [] }
      uncover()
      return perform(then)
    case .pay:
      if case .pay = purpose { form = newPayment() }
      return refresh()
    case .logOut: return []
    case .rename, .changePassword, .administer:
      if form?.isTab == false { form = nil }
      // What can be done with an account that is gone goes with it, not only when the list is loaded.
      if case .administer(.delete) = action { menu = nil }
      return refresh()
    case .revoke: return refresh()
    }
  }

  /// Opens a form over the one that is open, if one is.
  private mutating func cover(with purpose: AppForm.Purpose) {
    var next = AppForm(purpose)
    next.covered = form.map { [$0] } ?? []
    form = next
  }

  /// Back to the form that the open one covers, if there is one.
  mutating func uncover() {
    form = form?.covered.first
  }

  /// Ends the program; what is under way is waited for, unless somebody insists.
  mutating func quit() -> [AppEffect] {
    guard work != nil, !isQuitting else { return [.quit] }
    isQuitting = true
    return []
  }

  private mutating func newPayment(to payee: String = "") -> AppForm {
    payments += 1
    return AppForm(.pay(number: payments, payee: payee))
  }

  mutating func open(_ tab: AppTab, keepingNotice: Bool = false) -> [AppEffect] {
    if !keepingNotice { notice = nil }
    (filter, isFiltering, menu) = ("", false, nil)
    guard !tab.isGuarded || user != nil else {
      form = AppForm(.logIn(then: tab))
      return []
    }
    self.tab = tab
    if let form, form.isTab { draft = form }
    form = tab == .pay ? draft ?? newPayment() : nil
    return tab == .home ? [] : [.load(tab, isActivity: true)]
  }

  mutating func choose(_ choice: AppChoice) -> [AppEffect] {
    notice = nil
    switch choice {
    case .open(let tab): return open(tab)
    case .fill(let purpose): form = AppForm(purpose)
    case .ask(let question): self.question = question
    case .perform(let action): return perform(action)
    case .pay(let payee):
      let effects = open(.pay)
      form = newPayment(to: payee)
      return effects
    case .quit: return quit()
    }
    return []
  }
}

extension AppForm {
  /// Whether it stays open when the session ends.
  fileprivate var isForAnybody: Bool {
    switch purpose {
    case .logIn, .register, .secondStep(of: .logIn): true
    case .pay, .rename, .changePassword, .reauthenticate, .secondStep, .createAccount, .deleteAccount: false
    }
  }
}
