import AuthBackend
import AuthMessages
import CommandLineKit

extension AppState {
  /// Does what a key means in a form.
  func fill(_ key: Key) -> AppEffect? {
    guard let form else { return nil }
    let isStep = if case .secondStep = form.purpose { true } else { false }
    guard !isWaiting else {
      // The action continues without the form.
      if case .escape = key, !isStep { leaveForm() }
      return nil
    }
    notice = nil
    let field = form.fields[form.focus]
    let last = form.fields.count - 1
    switch key {
    case .control("r") where form.isLogin:
      dropForm()
      self.form = AppForm(.recover(username: form.fields[0].text))
    case .escape where isStep:
      uncover()
      return perform(.cancelAnswer)
    case .escape: leaveForm()
    case .right where form.isTab && field.text.isEmpty: return step(by: 1)
    case .left where form.isTab && field.text.isEmpty: return step(by: -1)
    case .tab, .down,
      .right where completion(of: form) != nil:
      if key != .down, let name = completion(of: form) { _ = field.insert(String(name.dropFirst(field.text.count))) }
      form.focus = (form.focus + 1) % form.fields.count
    case .backTab, .up: form.focus = (form.focus + last) % form.fields.count
    case .enter where form.focus < last: form.focus += 1
    case .enter:
      guard let action = form.submit() else { return nil }
      guard case .pay(let amount, let payee, _) = action else { return perform(action) }
      var words = "Pay \(amount) to \(payee)?"
      if let balance = self[.pay].page?.balance {
        guard balance >= amount.minorUnits else {
          form.problem = .mistake("You have only \(Amount.text(balance)).")
          return nil
        }
        words += " After this you have \(Amount.text(balance - amount.minorUnits))."
      }
      question = AppQuestion(text: words, action: action)
    case _:
      // The user corrects the problem.
      form.problem = field.edit(key).map { .mistake($0) }
    }
    return nil
  }

  /// The known name that starts with the typed text.
  func completion(of form: AppForm) -> String? {
    let field = form.fields[form.focus]
    guard form.focus == 0, !field.isSecret, !field.isEmpty, field.after.isEmpty else { return nil }
    let names =
      switch form.plan.names {
      case .none: [String]()
      case .users: knownUsers
      case .payees:
        (self[.pay].page?.names ?? []) + (self[.accounts].page?.rows ?? []).filter { $0.menu != nil }.map(\.id)
      }
    let typed = field.text.lowercased()
    return names.first { $0.hasPrefix(typed) && $0.count > typed.count }
  }

  private func leaveForm() {
    if isWaiting, let work { notice = AppNotice("\(work.progress) continues; its result shows here.", .strong) }
    if case .reauthenticate = form?.purpose {
      uncover()
      return
    }
    dropForm()
    draft = nil
    if tab == .pay || self[tab].page == nil { tab = .home }
  }
}
