import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit

extension AppState {
  /// Updates the state after an input, and returns the effects to carry out.
  ///
  /// Nothing else changes the state.
  func update(_ message: AppMessage, at now: Duration) -> [AppEffect] {
    self.now = now
    let isKey = if case .key = message { true } else { false }
    if !isKey, now >= lastKey + AppInterruption.quiet { isQuiet = true }
    let isActivity = isKey && ending != nil && end?.isIdle == true
    if let arrived, arrived.until <= now { self.arrived = nil }
    var effect = take(message)
    countDown()
    if isRestored, let tab = wanted.take() { effect = open(tab) ?? effect }
    scroll()
    let isCheckDue = nextCheck.map { $0 <= now } ?? false
    if isCheckDue { nextCheck = nil }
    return [effect ?? loadMore(), isActivity ? .renew : nil, isCheckDue ? .check : nil].compactMap(\.self)
  }

  /// Loads the rows for a new filter text, unless all rows are loaded; otherwise more rows when the
  /// selection is near the end of the list.
  private func loadMore() -> AppEffect? {
    guard menuRow == nil, form == nil, let page = list.page else { return nil }
    let wanted = tab.isFilteredByBackend ? filter.text.lowercased() : ""
    if wanted != list.asked.text, page.part != nil || !wanted.hasPrefix(page.query.text) {
      list.asked = AppQuery(text: wanted, order: list.asked.order)
    } else if page.part != nil, page.query.text == list.asked.text, list.asked.rows <= page.loaded,
      rowsShown.count - (selected ?? 0) <= max(1, list.height)
    {
      list.asked.rows = page.loaded + AppPage.limit
    } else {
      return nil
    }
    return .load(tab, isActivity: false, list.asked)
  }

  private func take(_ message: AppMessage) -> AppEffect? {
    switch message {
    case .key(let key): return press(key)
    case .resized(let columns, let rows): (self.columns, self.rows) = (columns, rows)
    case .button(let button): return take(button)
    case .dismissed(let sentence): return close(because: sentence)
    case .loaded(let tab, let result): take(tab, result)
    case .finished(let action, let result): return finish(action, result)
    case .checked(nil, _, isKnown: false):
      nextCheck = now + .seconds(5)
      return nil
    case .checked(let problem, let isEmpty, _):
      // The check succeeded, so its earlier error is out of date.
      if notice == checkNotice { notice = nil }
      (nextCheck, self.isEmpty, checkNotice) = (nil, isEmpty, nil)
      if let problem {
        checkNotice = show(problem)
      } else {
        isRestored = true
        if loadNotice?.isOutage == true { endLoadNotice() }
      }
      return refresh()
    case .authenticated(.success(let credentials), let isConfirming):
      return perform(isConfirming ? .confirm(credentials) : .logIn(credentials))
    case .authenticated(.failure(let problem), _): return warn(problem)
    case .ends(let duration, let isIdle): end = duration.map { (now + $0, isIdle) }
    case .written(let result): take(result)
    case .tick: break
    }
    return nil
  }

  /// Marks the payments to the user that are new since the receipts were last loaded.
  private func noteArrivals(_ page: AppPage) {
    guard let old = self[.receipts].page, old.query.text == page.query.text,
      let last = page.rows.firstIndex(where: { $0.id == old.rows.first?.id })
    else { return }
    let rows = page.rows[..<last].filter { $0.cells.count > 2 && $0.cells[1].hasPrefix("+") }
    guard let latest = rows.first else { return }
    arrived = (Set(rows.map(\.id)), now + .seconds(5))
    guard notice == nil else { return }
    say(rows.count > 1 ? "\(rows.count) payments arrived." : "\(latest.cells[1]) arrived from \(latest.cells[2]).")
  }

  /// Removes the message that there is not enough money, because the balance has changed.
  private func noteBalance(_ page: AppPage) {
    guard let form, form.isTab, page.balance != self[.pay].page?.balance else { return }
    if form.problem?.code == Self.tooLittle || form.problem?.refusal == .insufficientFunds { form.problem = nil }
  }

  /// The code of the message that there is not enough money.
  static let tooLittle = "too_little"

  /// Shows an error, and reloads the page.
  @discardableResult
  func warn(_ problem: CommandError) -> AppEffect? {
    _ = show(problem)
    return refresh()
  }

  /// Shows an error, and returns its notice.
  private func show(_ problem: CommandError) -> AppNotice {
    let problem = problem.onScreen(isLoggedIn: isLoggedIn)
    let notice = AppNotice("\(problem.sentence) \(problem.hint)", .bad)
    // The form already shows this message or a more important one.
    if form?.problem == nil {
      self.notice = notice
      delay = problem.wait.map { (problem, now + $0) }
    }
    // No notification says when the database can be used again.
    if problem.status == .cannotTell { nextCheck = now + .seconds(5) }
    return notice
  }

  /// Removes the notice about a tab that could not be loaded.
  private func endLoadNotice() {
    if notice == loadNotice?.notice { notice = nil }
    loadNotice = nil
  }

  /// Updates the notice that says how long to wait, and removes it afterwards.
  private func countDown() {
    guard let delay else { return }
    guard let notice, notice.text.hasPrefix(delay.problem.sentence) else { return self.delay = nil }
    if delay.end <= now {
      (self.notice, self.delay) = (nil, nil)
    } else {
      refuse("\(delay.problem.sentence) Try again in \((delay.end - now).asWait).")
    }
  }

  func say(_ text: String) { notice = AppNotice(text, .good) }

  func refuse(_ text: String) { notice = AppNotice(text, .bad) }

  private func take(_ tab: AppTab, _ result: Result<AppPage, CommandError>) {
    // The user has lost the role for which the page was loaded, and the notice about that stays.
    if isClosed(tab) { return }
    switch result {
    case .success(let page):
      // The earlier error is out of date.
      if tab == loadNotice?.tab { endLoadNotice() }
      if tab == .pay { noteBalance(page) }
      if tab == .receipts { noteArrivals(page) }
      self[tab].page = page
      // It shows times that pass.
      if tab == .sessions { nextCheck = now + .seconds(60) }
      guard let menu else { return }
      // The actions of the menu may have changed: keep the same one selected.
      move(by: 0)
      guard menuRow == nil else { return }
      self.menu = nil
      refuse(tab == .accounts ? "The account \(menu.menuOf ?? "") is gone." : "It is gone.")
    case .failure(let problem):
      if tab == .home {
        // The backend checked the name. If it is taken, registration is open.
        guard case .register = form?.purpose, problem.refusal != .usernameTaken else { return }
        dropForm()
        interrupt(.reason("\(problem.sentence) \(problem.hint)"))
        return
      }
      // For example, this database may not support the order.
      self[tab].asked.order = self[tab].page?.query.order ?? .name
      loadNotice = (tab, show(problem), problem.status == .cannotTell)
      if problem.refusal == .twoStepRequired {
        self[tab] = AppList()
        lacksTwoStep = true
      }
      // A form stays open, because its input would be lost.
      if tab == self.tab, self[tab].page == nil, form == nil { _ = open(.home, keepingNotice: true) }
    }
  }

  private func take(_ button: NavigationBar.Button) -> AppEffect? {
    let (before, isOther) = (user, button != self.button)
    (self.button, isRestored) = (button, true)
    guard user?.id != before?.id || user?.role != before?.role else { return isOther ? refresh() : nil }
    forgetUser()
    if let user { knownUsers = [user.username] + knownUsers.filter { $0 != user.username } }
    // A login would be refused now, and so would the accounts for a user who is only a member.
    let isClosing = isClosed(tab) || isLoggedIn && work == nil && form?.isLogin == true
    if isClosing {
      dropForm()
      (tab, question) = (.home, nil)
    }
    if let user, work == nil {
      let text = user.id == before?.id ? "Your role is \(user.role.rawValue) now." : "\(user.username) is logged in."
      if isClosing, interruption == nil { interrupt(.reason(text)) } else { say(text) }
    }
    return refresh()
  }

  /// Drops everything that was loaded or opened for the user and the role.
  private func forgetUser() {
    for tab in AppTab.allCases where tab != .machine { self[tab] = AppList() }
    (menu, draft, isFiltering, lacksTwoStep) = (nil, nil, false, false)
    (arrived, loadingBegan) = (nil, now)
    filter.clear()
  }

  /// Reloads the page, because it may have changed.
  func refresh() -> AppEffect? {
    tab == .home && !loadsHome || isClosed(tab) ? nil : .load(tab, isActivity: false, self[tab].asked)
  }

  /// Closes everything that belongs to a session that ended, and shows the reason.
  private func close(because sentence: String) -> AppEffect? {
    forgetUser()
    if form?.plan.isForAnybody == false { dropForm() }
    (question, notice) = (nil, nil)
    if tab.isGuarded { tab = .home }
    let isAsked = if case .logOut = work { true } else { work == .change(.deleteAccount) }
    if !isAsked { interrupt(.reason(sentence)) }
    return refresh()
  }

  // MARK: Which tab, form or question is open

  /// Ends the program after the running action; the second time, immediately.
  func quit() -> AppEffect? {
    guard let work else { return .quit }
    defer { isQuitting = true }
    guard isQuitting else { return nil }
    lastProblem = CommandError(
      code: .cancelled, saying: "'\(work.traits.progress)' had not ended, and may still take effect",
      hint: "Check whether it did before you repeat it.")
    return .quit
  }

  func newPayment(to payee: String = "", amount: String = "") -> AppForm {
    payments += 1
    return AppForm(.pay(number: payments, payee: payee, amount: amount))
  }

  func open(_ tab: AppTab, keepingNotice: Bool = false) -> AppEffect? {
    if !keepingNotice { notice = nil }
    (isFiltering, menu) = (false, nil)
    filter.clear()
    guard !tab.isGuarded || isLoggedIn else {
      if isRestored, provider == nil {
        form = AppForm(.logIn(then: tab))
      } else if isRestored {
        notice = AppNotice("\(tab.title) needs a login; L logs in at the provider.", .strong)
      } else {
        // A user who is already logged in needs no password here.
        wanted = tab
        notice = AppNotice("\(tab.title) opens once it is known whether you are logged in; L logs in now.", .strong)
      }
      return nil
    }
    // Without the filter, its rows are out of date.
    if !self[tab].asked.text.isEmpty { self[tab].asked = AppQuery(order: self[tab].asked.order) }
    if self[tab].page?.query.text.isEmpty == false { self[tab].page = nil }
    if tab != self.tab { loadingBegan = now }
    self.tab = tab
    if let form, form.isTab { draft = form }
    form = tab == .pay ? draft ?? newPayment() : nil
    return tab == .home && !loadsHome ? nil : .load(tab, isActivity: true, self[tab].asked)
  }

  func choose(_ choice: AppChoice) -> AppEffect? {
    notice = nil
    switch choice {
    case .open(let tab): return open(tab)
    case .fill(let purpose):
      form = AppForm(purpose)
      // The form depends on whether registration is closed.
      if case .register = purpose { return .load(.home, isActivity: false) }
    case .ask(let question): self.question = question
    case .perform(let action): return perform(action)
    case .pay(let payee, let amount):
      let effect = open(.pay)
      form = newPayment(to: payee, amount: amount)
      return effect
    case .copy(let text):
      say("Copied \(text), if your terminal allows it.")
      return .copy(text)
    case .authenticate:
      return canStart() ? .authenticate(isConfirming: isLoggedIn) : nil
    case .quit: return quit()
    }
    return nil
  }
}
