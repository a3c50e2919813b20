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
  case loaded(AppTab, Result<AppPage, CommandError>)
  /// An action came to its end; the text says what was done. What is shown once comes with it.
  case finished(AppAction, Result<String, CommandError>, page: AppInterruption? = nil, secret: AppSecret? = nil)
  /// It was found out who is logged in, at first and when something changed outside; the problem is
  /// why that failed.
  case looked(CommandError?, isEmpty: Bool = false)
  /// When the session ends by itself, if it does, and whether activity puts that off.
  case ends(in: Duration?, isIdle: Bool)
  /// Time went by.
  case tick
}

/// What to do.
enum AppEffect: Sendable {
  /// Load these rows of the tab; whether a person asked for it, which is activity.
  case load(AppTab, isActivity: Bool, AppQuery = AppQuery())
  /// Find out who is logged in.
  case look
  case perform(AppAction)
  /// Tell the session that somebody is there.
  case renew
  /// Put the text into the clipboard.
  case copy(String)
  case quit

  /// Whether both are the same look or the same loading, so that one of them is enough.
  func isLike(_ other: AppEffect) -> Bool {
    switch (self, other) {
    case (.look, .look), (.renew, .renew): true
    case (.load(let tab, let isActivity, let query), .load(let otherTab, let isOtherActivity, let otherQuery)):
      tab == otherTab && isActivity == isOtherActivity && query == otherQuery
    case (.load, _), (.look, _), (.renew, _), (.perform, _), (.copy, _), (.quit, _): false
    }
  }
}

extension AppState {
  /// Takes in what happened, and says what to do about it.
  ///
  /// Nothing else changes the state.
  func update(_ message: AppMessage, at now: Duration) -> AppEffect? {
    self.now = now
    if case .key = message, ending != nil, end?.isIdle == true { renewals += 1 }
    if let arrived, arrived.until <= now { self.arrived = nil }
    let effect = take(message)
    scroll()
    return effect ?? loadMore()
  }

  /// Loads more rows where the end of the list is near, or where a filter leaves few of them.
  private func loadMore() -> AppEffect? {
    let list = self[tab]
    guard menuRow == nil, form == nil, let page = list.page else { return nil }
    let wanted = tab == .accounts ? filter.text.lowercased() : ""
    if wanted != list.asked.prefix, page.part != nil || !wanted.hasPrefix(page.prefix) {
      list.asked = AppQuery(prefix: wanted, order: list.asked.order)
      return .load(tab, isActivity: false, list.asked)
    }
    guard page.part != nil, list.asked.rows <= page.loaded else { return nil }
    let left = rowsShown.count - (selected ?? 0)
    guard left <= max(1, list.height), filter.text.isEmpty || left == 1 || page.loaded < AppPage.searched else {
      return nil
    }
    list.asked.rows = page.loaded + AppPage.limit
    return .load(tab, isActivity: false, list.asked)
  }

  private func take(_ message: AppMessage) -> AppEffect? {
    switch message {
    case .key(let key): return press(key)
    case .resized(let columns, let rows): (self.columns, self.rows) = (columns, rows)
    case .button(let button): return take(button)
    case .dismissed(let sentence): return close(because: sentence)
    case .loaded(let tab, let result): take(tab, result)
    case .finished(let action, let result, let page, let secret): return finish(action, result, page, secret)
    case .looked(let problem, let isEmpty):
      (isRestored, self.isEmpty) = (true, isEmpty)
      // What could not be found out before is known now.
      if problem == nil, notice === lookNotice { notice = nil }
      lookNotice = nil
      if let problem {
        warn(problem)
        lookNotice = notice
      }
      return refresh()
    case .ends(let duration, let isIdle): end = duration.map { (now + $0, isIdle) }
    case .tick: break
    }
    return nil
  }

  /// Marks money that arrived since the tab was loaded before.
  private func noteArrivals(_ tab: AppTab, _ page: AppPage) {
    guard let old = self[tab].page, !old.rows.isEmpty || old.balance != nil else { return }
    var text = ""
    if let before = old.balance, let balance = page.balance, balance > before {
      text = "\(Amount.text(balance - before)) arrived."
    } else if tab == .receipts, let last = page.rows.firstIndex(where: { $0.id == old.rows[0].id }) {
      let rows = page.rows[..<last].filter { $0.cells.count > 2 && $0.cells[1].hasPrefix("+") }
      guard let latest = rows.first else { return }
      arrived = (Set(rows.map(\.id)), now + .seconds(5))
      text = rows.count > 1 ? "\(rows.count) payments arrived." : "\(latest.cells[1]) arrived from \(latest.cells[2])."
    }
    if !text.isEmpty, notice == nil { say(text) }
  }

  private func warn(_ problem: CommandError) {
    let problem = problem.onScreen
    notice = AppNotice("\(problem.sentence) \(problem.hint)", .bad)
  }

  private func say(_ text: String) {
    notice = AppNotice(text, .good)
  }

  private func take(_ tab: AppTab, _ result: Result<AppPage, CommandError>) {
    // Loaded for somebody who is logged out now: the notice of why stays.
    if tab.isGuarded, !isLoggedIn { return }
    switch result {
    case .success(let page):
      noteArrivals(tab, page)
      self[tab].page = page
      guard let menu else { return }
      // What can be done may be other actions now: the cursor stays on its own.
      move(by: 0)
      guard menuRow == nil else { return }
      self.menu = nil
      notice = AppNotice(tab == .accounts ? "The account \(menu.menuOf ?? "") is gone." : "It is gone.", .bad)
    case .failure(let problem):
      if tab == .home {
        // It asked about a name that may be taken. If it is, registration is open.
        guard case .register = form?.purpose, problem.code != BackendError.Code.usernameTaken.rawValue else {
          return
        }
        dropForm()
        interrupt(.refused("\(problem.sentence) \(problem.hint)"))
        return
      }
      // Such as the order, which this database may not have.
      self[tab].asked.order = self[tab].page?.order ?? .name
      // That change was made: it is not what was refused.
      if notice?.text != Administration.ownStepMissing { warn(problem) }
      if problem.code == BackendError.Code.twoStepRequired.rawValue {
        self[tab].clear()
        lacksTwoStep = true
      }
      // Does not leave a form: what was typed there would be lost.
      if tab == self.tab, self[tab].page == nil, form == nil { _ = open(.home, keepingNotice: true) }
    }
  }

  private func take(_ button: NavigationBar.Button) -> AppEffect? {
    let before = user?.id
    let isOther = button != self.button
    self.button = button
    isRestored = true
    guard user?.id != before else { return isOther ? refresh() : nil }
    forgetUser()
    if let user { knownUsers = [user.username] + knownUsers.filter { $0 != user.username } }
    if tab.isGuarded, !isLoggedIn { tab = .home }
    if let user, work == nil { say("\(user.username) is logged in.") }
    return refresh()
  }

  /// Closes what belongs to a user.
  private func forgetUser() {
    for tab in AppTab.allCases where tab != .machine { self[tab].clear() }
    (menu, draft, isFiltering, loadingBegan) = (nil, nil, false, now)
    arrived = nil
    filter.clear()
    lacksTwoStep = false
    switch interruption {
    case .code, .codes: interruption = nil
    case .ended, .refused, .none: break
    }
  }

  /// Loads again what is shown, because it may have changed.
  private func refresh() -> AppEffect? {
    tab == .home || tab.isGuarded && !isLoggedIn ? nil : .load(tab, isActivity: false, self[tab].asked)
  }

  /// The session is over: what belongs to it closes, and Home says why.
  private func close(because sentence: String) -> AppEffect? {
    forgetUser()
    if form?.isForAnybody == false { dropForm() }
    (question, notice) = (nil, nil)
    if tab.isGuarded { tab = .home }
    switch work {
    case .logOut, .deleteOwnAccount: return refresh()
    case _: break
    }
    interrupt(.ended(sentence))
    return refresh()
  }

  // MARK: Actions

  func perform(_ action: AppAction) -> AppEffect? {
    guard work == nil else {
      notice = AppNotice("Something else is still going on. Try again in a moment.", .bad)
      return nil
    }
    (work, workBegan, sender) = (action, now, form)
    notice = nil
    return .perform(action)
  }

  private func finish(
    _ action: AppAction, _ result: Result<String, CommandError>, _ page: AppInterruption?, _ secret: AppSecret?
  ) -> AppEffect? {
    // What came of it belongs to the form that asked for it, and to no other.
    let isHere = form === sender
    if draft === sender { draft = nil }
    (work, sender) = (nil, nil)
    if let page { interrupt(page) }
    switch result {
    case .success(let text):
      // A code is not made again: it is seen first.
      if isQuitting, page == nil { return .quit }
      isQuitting = false
      if let secret, isHere { form = AppForm(.confirmTwoStep(secret)) }
      return succeed(action, text, isHere: isHere)
    case .failure(let problem):
      isQuitting = false
      return fail(action, problem, isHere: isHere)
    }
  }

  private func fail(_ action: AppAction, _ problem: CommandError, isHere: Bool) -> AppEffect? {
    // Such as the one that it goes on.
    notice = nil
    guard isHere else {
      guard problem.code == ErrorCode.codeMissing.rawValue else {
        warn(problem)
        return refresh()
      }
      let effect = perform(.cancelAnswer)
      notice = AppNotice("A code is needed too, and nobody was there to enter it. Begin again.", .bad)
      return effect
    }
    switch problem.code {
    // What was meant is done after the password.
    case ErrorCode.passwordNotRecent.rawValue:
      form = AppForm(.reauthenticate(then: action), covering: form)
      return nil
    case ErrorCode.codeMissing.rawValue:
      form?.clearSecrets()
      form = AppForm(.secondStep(of: action), covering: form)
      return nil
    // The password is needed again.
    case ErrorCode.challengeOver.rawValue:
      if case .secondStep = form?.purpose { uncover() }
    case _: break
    }
    guard let form else {
      warn(problem)
      return refresh()
    }
    form.clearSecrets()
    form.problem = problem.onScreen
    form.waitEnd = problem.wait.map { now + $0 }
    // The payee is to be mended.
    if form.isTab, problem.code == BackendError.Code.payeeUnknown.rawValue { form.focus = 0 }
    return nil
  }

  private func succeed(_ action: AppAction, _ text: String, isHere: Bool) -> AppEffect? {
    let purpose = isHere ? form?.purpose : nil
    // What was refused before it was given up matters more.
    if case .cancelAnswer = action, notice != nil { return nil }
    say(text)
    switch action {
    case .logIn:
      guard case .logIn(let then, _) = purpose else { return nil }
      dropForm()
      return open(then, keepingNotice: true)
    case .answer:
      guard case .secondStep(let first) = purpose else { return nil }
      uncover()
      if case .changePassword = first { return perform(first) }
      return succeed(first, text, isHere: true)
    case .register(let credentials):
      if case .register = purpose { enter(as: credentials.username) }
      return refresh()
    case .recover(let name, _, _):
      if case .recover = purpose { enter(as: name) }
      return refresh()
    case .beginTwoStep: notice = nil
    case .confirmTwoStep, .endTwoStep:
      lacksTwoStep = false
      if isHere { dropForm() }
      return refresh()
    case .reauthenticate:
      guard case .reauthenticate(let then) = purpose else { return nil }
      uncover()
      return perform(then)
    case .pay:
      if case .pay = purpose { form = newPayment() }
      return refresh()
    case .cancelAnswer, .logOut, .makeRecoveryCodes, .deleteOwnAccount: break
    case .rename, .changePassword, .administer:
      if isHere, form?.isTab == false { dropForm() }
      // The account is gone, and its menu with it, before the list is loaded again.
      if case .administer(.delete) = action { menu = nil }
      return refresh()
    case .revoke: return refresh()
    }
    return nil
  }

  /// After a new account or a new password: the user is logged in, or is asked to log in.
  private func enter(as username: String) {
    dropForm()
    tab = .home
    if !isLoggedIn { form = AppForm(.logIn(then: .home, username: username)) }
  }

  /// Closes the form, and wipes the passwords that were typed into it.
  func dropForm() {
    form?.clearSecrets()
    form = nil
  }

  /// Back to the form that the open one covers, if there is one.
  func uncover() {
    form?.clearSecrets()
    form = form?.covered
  }

  /// Ends the program; what is under way is waited for, unless somebody insists.
  func quit() -> AppEffect? {
    guard work != nil, !isQuitting else { return .quit }
    isQuitting = true
    return nil
  }

  private func newPayment(to payee: String = "") -> AppForm {
    payments += 1
    return AppForm(.pay(number: payments, payee: payee))
  }

  func open(_ tab: AppTab, keepingNotice: Bool = false) -> AppEffect? {
    if !keepingNotice { notice = nil }
    (isFiltering, menu) = (false, nil)
    filter.clear()
    guard !tab.isGuarded || isLoggedIn else {
      form = AppForm(.logIn(then: tab))
      return nil
    }
    if tab != self.tab { loadingBegan = now }
    self.tab = tab
    if let form, form.isTab { draft = form }
    form = tab == .pay ? draft ?? newPayment() : nil
    return tab == .home ? nil : .load(tab, isActivity: true, self[tab].asked)
  }

  func choose(_ choice: AppChoice) -> AppEffect? {
    notice = nil
    switch choice {
    case .open(let tab): return open(tab)
    case .fill(let purpose):
      form = AppForm(purpose)
      // Finds out whether registration is closed.
      if case .register = purpose { return .load(.home, isActivity: false) }
    case .ask(let question): self.question = question
    case .perform(let action): return perform(action)
    case .pay(let payee, let amount):
      let effect = open(.pay)
      form = newPayment(to: payee)
      _ = form?.fields[1].edit(.paste(PastedText(amount)))
      return effect
    case .copy(let text):
      say("Copied \(text), if your terminal allows it.")
      return .copy(text)
    case .quit: return quit()
    }
    return nil
  }
}

extension AppForm {
  /// Whether it stays open when the session ends.
  fileprivate var isForAnybody: Bool {
    switch purpose {
    case .logIn, .register, .recover, .secondStep(of: .logIn): true
    case .pay, .rename, .changePassword, .reauthenticate, .secondStep, .createAccount, .deleteAccount, .confirmTwoStep,
      .endTwoStep, .deleteOwnAccount:
      false
    }
  }
}
