// Which tab, form or question is open.

extension AppState {
  /// Ends the program after the running action; the second time, immediately.
  func quit() -> AppEffect? {
    guard work != nil, !isQuitting else { return .quit }
    isQuitting = true
    return nil
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
      form = AppForm(.logIn(then: tab))
      return nil
    }
    // The filter is gone, and so are the rows that it found.
    if !self[tab].asked.text.isEmpty { self[tab].asked = AppQuery(order: self[tab].asked.order) }
    if self[tab].page?.query.text.isEmpty == false { self[tab].page = nil }
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
      // The answer tells whether registration is closed.
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
    case .quit: return quit()
    }
    return nil
  }
}
